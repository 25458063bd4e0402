"""Exact arithmetic on fractions within limits: no float error, no number that grows without end."""

import decimal
import math
from decimal import Decimal
from fractions import Fraction

from tools.errors import CalculationError

MAX_DIGITS = 2_000
"""Decimal digits of a numerator or denominator, at any step."""

_MAX_BITS = int(MAX_DIGITS * math.log2(10))
_PRECISION = 50
_MAX_EXPONENT = 10**20
_EXACT_DIGITS = 30
_ROUNDED_DIGITS = 16
_PLAIN_EXPONENTS = range(-15, 21)
_MAX_PLACES = 100

PI = Fraction("3.14159265358979323846264338327950288419716939937511")
E = Fraction("2.71828182845904523536028747135266249775724709369996")


def limited(value: Fraction) -> Fraction:
    """`value`, if its numbers are not too long.

    Raises:
        CalculationError: they are.
    """
    if _bits(value) > _MAX_BITS:
        raise CalculationError(f"The numbers grow beyond {MAX_DIGITS} digits.")
    return value


def power(base: Fraction, exponent: Fraction) -> Fraction:
    """`base ** exponent`: exact for whole exponents while the digits suffice, else to 50 digits.

    Raises:
        CalculationError: the result is too long, or no real number.
    """
    if base == 0:
        return _power_of_zero(exponent)
    if exponent.denominator == 1:
        if abs(base) == 1:
            return base if exponent % 2 else Fraction(1)
        if _bits(base) * abs(exponent) <= _MAX_BITS:
            return Fraction(base**exponent.numerator)
    elif base < 0:
        raise CalculationError("A negative number has no real power with a fractional exponent.")
    if exponent == Fraction(1, 2):
        return root(base)
    return _approximate_power(base, exponent)


def _power_of_zero(exponent: Fraction) -> Fraction:
    if exponent < 0:
        raise CalculationError("0 has no negative power.")
    return Fraction(int(exponent == 0))


def _approximate_power(base: Fraction, exponent: Fraction) -> Fraction:
    """For fractional exponents, and for rates such as (1 + 0.05/365)**3650 whose exact value is endless."""
    with decimal.localcontext(_context()):
        digits = abs(_decimal(abs(base)).log10() * _decimal(exponent))
        whole_base = base.denominator == 1 and exponent.denominator == 1
        # Beyond 10^20 the rounding of the base in its 50th digit would reach the digits that are shown.
        if digits > MAX_DIGITS or abs(exponent) > _MAX_EXPONENT or (whole_base and exponent > 0):
            raise CalculationError(f"The power has more than {MAX_DIGITS} digits.")
        return Fraction(_decimal(base) ** _decimal(exponent))


def root(value: Fraction) -> Fraction:
    """The square root: exact if it is rational, else to 50 digits."""
    if value < 0:
        raise CalculationError("A negative number has no real square root.")
    numerator, denominator = math.isqrt(value.numerator), math.isqrt(value.denominator)
    if numerator**2 == value.numerator and denominator**2 == value.denominator:
        return Fraction(numerator, denominator)
    with decimal.localcontext(_context()):
        return Fraction(_decimal(value).sqrt())


def rounded(value: Fraction, places: Fraction = Fraction(0)) -> Fraction:
    """To so many decimal places; a half goes away from zero, as people round."""
    if places.denominator != 1 or abs(places) > _MAX_PLACES:
        raise CalculationError(f"Round to a whole number of places, at most {_MAX_PLACES}.")
    scale = Fraction(10) ** int(places)
    whole = math.floor(abs(value) * scale + Fraction(1, 2))
    return (-whole if value < 0 else whole) / scale


def as_decimal(value: Fraction) -> str:
    """The value as people write it: exact up to 30 significant digits, else rounded to 16."""
    if value.denominator == 1:
        return str(value.numerator)
    context = decimal.Context(prec=_EXACT_DIGITS, Emax=decimal.MAX_EMAX, Emin=decimal.MIN_EMIN)
    quotient = context.divide(Decimal(value.numerator), Decimal(value.denominator))
    if context.flags[decimal.Inexact]:
        context.prec = _ROUNDED_DIGITS
        quotient = context.plus(quotient)
    quotient = quotient.normalize(context)
    return format(quotient, "f" if quotient.adjusted() in _PLAIN_EXPONENTS else "E")


def _bits(value: Fraction) -> int:
    return max(value.numerator.bit_length(), value.denominator.bit_length())


def _context() -> decimal.Context:
    return decimal.Context(prec=_PRECISION, Emax=decimal.MAX_EMAX, Emin=decimal.MIN_EMIN)


def _decimal(value: Fraction) -> Decimal:
    return Decimal(value.numerator) / Decimal(value.denominator)
