"""The calculator: right results in every notation, and a quick refusal of anything else."""

from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tools.calculator import calculate
from tools.errors import CalculationError


@pytest.mark.parametrize(
    ("expression", "value"),
    [
        ("0.1+0.2", "0.3"),
        ("1/3*3", "1"),
        ("10/4", "2.5"),
        ("1/3", "0.3333333333333333"),
        ("2**200", str(2**200)),
        ("12345678901234567890*98765432109876543210", str(12345678901234567890 * 98765432109876543210)),
        ("7//2 + 7 % 4", "6"),
        ("-2^2", "-4"),
        ("9.99*3", "29.97"),
        ("1e3 + 1", "1001"),
        ("2**-2", "0.25"),
        ("10**30/7", "1.428571428571429E+29"),
        ("(1+0.05/365)**(365*30)", "4.481228688524515"),
    ],
)
def test_arithmetic_is_exact_where_it_can_be(expression, value):
    assert calculate(expression) == value


@pytest.mark.parametrize(
    ("expression", "value"),
    [
        ("３×４＋（１０－２）÷２", "16"),
        ("1,234,567.89 + 1", "1234568.89"),
        ("１，２３４，５６７＋１", "1234568"),
        ("200 × 15%", "30"),
        ("15% of 80", "12"),
        ("200的15%", "30"),
        ("100/50%", "200"),
        ("(5+5)%", "0.1"),
        ("50%*3", "1.5"),
        ("10 % 3", "1"),
        ("3‰ * 1000", "3"),
        ("3万*2", "60000"),
        ("1.5亿/3", "50000000"),
        ("3² + 2⁻¹", "9.5"),
        ("√16 + √(9)", "7"),
        ("2(3+4)(1)", "14"),
        ("3 x 4", "12"),
        ("100−5", "95"),
        ("1+1=?", "2"),
        ("007+1", "8"),
        ("5·2", "10"),
    ],
)
def test_the_notations_of_people_are_read(expression, value):
    assert calculate(expression) == value


@pytest.mark.parametrize(
    ("expression", "value"),
    [
        ("sqrt(16)", "4"),
        ("sqrt(2)^2", "2"),
        ("sqrt(1/4)", "0.5"),
        ("abs(-3)", "3"),
        ("round(2.5)", "3"),
        ("round(-2.5)", "-3"),
        ("round(1.005, 2)", "1.01"),
        ("min(3,1,2) + max(100,200)", "201"),
        ("sum(1, 2, 3) + sum([4, 5])", "15"),
        ("avg(1，2，3)", "2"),
        ("floor(-2.5) + ceil(2.1)", "0"),
        ("8**(1/3)", "2"),
    ],
)
def test_functions(expression, value):
    assert calculate(expression) == value


@pytest.mark.parametrize("expression", ["max(1,000,5)", "sum(1,234, 5,678)"])
def test_a_comma_that_may_separate_digits_or_arguments_is_not_guessed(expression):
    with pytest.raises(CalculationError, match="one number or several"):
        calculate(expression)


ABUSE = [
    "9**9**9",
    "9^9^9^9",
    "2**(10**10)",
    "(2**1000)**(2**1000)",
    '"a"*10**9',
    "'a'*3",
    '__import__("os")',
    "__import__('os').system('id')",
    "().__class__.__bases__",
    "(1).real",
    "1/0",
    "1 % 0",
    "0**-1",
    "9" * 5_000,
    "9" * 900 + "*" + "9" * 2_000,
    "1e999999999",
    "1.5**999999",
    "1.5**1e15",
    "(1/3)**5000",
    "(1+1e-50)**1e60",
    "1e2001",
    "(" * 400,
    "-" * 999 + "1",
    "1" + "+1" * 499,
    "[1]*10**9",
    "sum([1]*10)",
    "lambda: 1",
    "[x for x in [1]]",
    "open('x')",
    "1 if 1 else 2",
    "x := 1",
    "1; 2",
    "1, 2",
    "[1, 2]",
    "sqrt",
    "max()",
    "sqrt(-1)",
    "(-8)**0.5",
    "1j",
    "True",
    "0x10",
    "f'{1}'",
    "½ + 1",
    "1\x00",
    "",
    "  ",
    "=",
    "round(1, 5000)",
    "factorial(10**6)",
    "1 << 10**9",
    "~1",
    "1 < 2",
    "not 1",
    "三加四",
]


@pytest.mark.parametrize("expression", ABUSE, ids=range(len(ABUSE)))
def test_t07_abuse_is_refused_at_once_with_a_short_message(expression):
    with pytest.raises(CalculationError) as caught:
        calculate(expression)  # computed instead of refused, most of these would not end

    assert 0 < len(str(caught.value)) < 500


number = st.fractions(min_value=-1000, max_value=1000, max_denominator=1000)


@settings(deadline=None)
@given(number, number, st.sampled_from("+-*/"))
def test_it_agrees_with_exact_fractions(left, right, sign):
    if sign == "/" and right == 0:
        return
    exact = {"+": left + right, "-": left - right, "*": left * right, "/": left / (right or 1)}[sign]

    told = Fraction(calculate(f"({left}){sign}({right})"))

    assert abs(told - exact) <= abs(exact) * Fraction(1, 10**15)


@settings(deadline=None)
@given(st.text(alphabet="0123456789+-*/%().,^√²万 ×÷abmxsu[]e_'", max_size=40))
def test_any_text_gives_a_number_or_a_calculation_error(text):
    try:
        value = calculate(text)
    except CalculationError:
        return
    Fraction(value)
