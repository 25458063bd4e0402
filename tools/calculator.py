"""The calculator: exact arithmetic in the notations people use, and nothing but arithmetic."""

import ast
import math
import operator
import re
from collections.abc import Iterator
from fractions import Fraction
from typing import Any

from simpleeval import InvalidExpression, SimpleEval

from tools.arithmetic import MAX_DIGITS, PI, E, as_decimal, limited, power, root, rounded
from tools.errors import CalculationError
from tools.expression import MAX_LENGTH, plain_expression
from tools.tool import Tool, ToolContext

CALCULATOR = "calculator"

_LITERAL = re.compile(r"([0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE]([+-]?[0-9]{1,5}))?")
_FACTORS = {
    "percent": Fraction(1, 100),
    "permille": Fraction(1, 1000),
    "wan": Fraction(10**4),
    "yi": Fraction(10**8),
}


def calculate(expression: str) -> str:
    """The value of an arithmetic expression, in digits: exact where that is possible, else to 16 digits.

    Takes + - * / // % ** and their other signs (× ÷ ^ √ ²), full-width characters, thousands separators,
    percent, 万 and 亿, and the functions sqrt abs round floor ceil min max sum avg.

    Raises:
        CalculationError: no arithmetic, no result, or beyond the limits.
    """
    plain = plain_expression(expression)
    try:
        value = _Arithmetic().eval(plain)
    except CalculationError:
        raise
    except ZeroDivisionError as error:
        raise CalculationError(f"Division by zero in {expression!r}.") from error
    except (InvalidExpression, SyntaxError, TypeError, ValueError, KeyError, AttributeError) as error:
        raise CalculationError(
            f"{expression[:200]!r} is not an arithmetic expression ({str(error).splitlines()[0][:150]})."
        ) from error
    except (RecursionError, MemoryError, OverflowError) as error:
        raise CalculationError("The expression is nested too deeply or its numbers are too long.") from error
    if not isinstance(value, Fraction):
        raise CalculationError(f"{expression[:200]!r} has no single number as its value.")
    return as_decimal(value)


class _Arithmetic(SimpleEval):  # type: ignore[misc] # simpleeval is untyped
    """simpleeval with everything but arithmetic taken out, on fractions instead of floats."""

    nodes: dict[type[ast.AST], Any]

    def __init__(self) -> None:
        super().__init__(operators=_OPERATORS, functions=_FUNCTIONS, names={"pi": PI, "e": E})
        inherited = (ast.Expr, ast.UnaryOp, ast.BinOp, ast.Call, ast.Name)
        self.nodes = {node: self.nodes[node] for node in inherited} | {
            ast.Constant: self._number,
            ast.Attribute: self._unit,
            ast.List: lambda node: [self._eval(item) for item in node.elts],
        }

    def eval(self, expr: str, previously_parsed: ast.AST | None = None) -> Any:
        statements = ast.parse(expr).body
        if len(statements) != 1 or previously_parsed is not None:
            raise CalculationError("Calculate one expression at a time.")
        return super().eval(expr, statements[0])

    def _number(self, node: ast.Constant) -> Fraction:
        """From the digits as written: through a float, 0.1 would not be a tenth."""
        written = self.expr[node.col_offset : node.end_col_offset].replace("_", "")
        match = _LITERAL.fullmatch(written)
        if match is None:
            raise CalculationError(f"{written[:80]!r} is no decimal number.")
        if len(match[1]) > MAX_DIGITS or abs(int(match[2] or 0)) > MAX_DIGITS:
            raise CalculationError(f"{written[:20]}… has more than {MAX_DIGITS} digits.")
        return limited(Fraction(written))

    def _unit(self, node: ast.Attribute) -> Fraction:
        if node.attr not in _FACTORS:
            raise CalculationError(f"{node.attr[:80]!r} has no meaning in arithmetic.")
        return _number_of(self._eval(node.value)) * _FACTORS[node.attr]


def _number_of(value: object) -> Fraction:
    if not isinstance(value, Fraction):
        raise CalculationError("Arithmetic needs numbers on both sides.")
    return value


def _binary(operation: Any) -> Any:
    return lambda left, right: limited(Fraction(operation(_number_of(left), _number_of(right))))


def _flat(values: tuple[object, ...]) -> Iterator[Fraction]:
    for value in values:
        if isinstance(value, list):
            yield from _flat(tuple(value))
        else:
            yield _number_of(value)


def _over_all(operation: Any) -> Any:
    def apply(*values: object) -> Fraction:
        numbers = list(_flat(values))
        if not numbers:
            raise CalculationError("The function needs at least one number.")
        return limited(Fraction(operation(numbers)))

    return apply


_OPERATORS = {
    ast.Add: _binary(operator.add),
    ast.Sub: _binary(operator.sub),
    ast.Mult: _binary(operator.mul),
    ast.Div: _binary(operator.truediv),
    ast.FloorDiv: _binary(operator.floordiv),
    ast.Mod: _binary(operator.mod),
    ast.Pow: _binary(power),
    ast.USub: lambda value: -_number_of(value),
    ast.UAdd: _number_of,
}
_FUNCTIONS = {
    "sqrt": lambda value: root(_number_of(value)),
    "abs": lambda value: abs(_number_of(value)),
    "round": lambda value, places=Fraction(0): rounded(_number_of(value), _number_of(places)),
    "floor": lambda value: Fraction(math.floor(_number_of(value))),
    "ceil": lambda value: Fraction(math.ceil(_number_of(value))),
    "min": _over_all(min),
    "max": _over_all(max),
    "sum": _over_all(sum),
    "avg": _over_all(lambda numbers: sum(numbers) / len(numbers)),
}


async def _run(arguments: dict[str, Any], _: ToolContext) -> str:
    return calculate(arguments["expression"])


calculator = Tool(
    name=CALCULATOR,
    description=(
        "Calculate an arithmetic expression exactly. 精确计算算式。 Operators + - * / // % ^ and × ÷ √, "
        "percent, thousands separators, 万 and 亿; functions sqrt, abs, round(x, places), floor, ceil, min, "
        "max, sum, avg; constants pi, e."
    ),
    parameters={
        "type": "object",
        "properties": {
            "expression": {
                "type": "string",
                "minLength": 1,
                "maxLength": MAX_LENGTH,
                "description": "Digits and operators, such as 1,200 × 15% or round(10/3, 2).",
            }
        },
        "required": ["expression"],
    },
    run=_run,
    timeout_s=2.0,
    idempotent=True,
)
