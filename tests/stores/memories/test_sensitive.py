"""Numbers, addresses and secrets that no memory may hold, and ordinary sentences that it may."""

import pytest

from stores.memories.sensitive import find_sensitive


@pytest.mark.parametrize(
    ("text", "kinds"),
    [
        ("我身份证 11010519491231002X，手机13800138000", ["identity_number", "mobile"]),
        ("我的电话是１３８００１３８０００", ["mobile"]),
        ("手机一三八零零一三八零零零", ["mobile"]),
        ("号码138-0013-8000啊", ["mobile"]),
        ("我的卡号6222021234567890128", ["bank_card"]),
        ("card 4111 1111 1111 1111", ["bank_card"]),
        ("护照E12345678", ["passport"]),
        ("车牌京A12345", ["licence_plate"]),
        ("我的车是沪AD12345", ["licence_plate"]),
        ("mail me at a@b.com", ["email"]),
        ("My key is sk-test-0000EXAMPLE0000", ["secret"]),
        ("密码是 hunter2", ["secret"]),
        ("password: correcthorse", ["secret"]),
        ("my password is hunter2", ["secret"]),
        ("ghp_abcdefghijklmnopqrst123456", ["secret"]),
        ("-----BEGIN RSA PRIVATE KEY-----", ["private_key"]),
        ("call me at (415) 555-2671", ["phone"]),
        ("+44 20 7946 0958", ["phone"]),
        ("座机010-62345678", ["phone"]),
        ("我有抑郁症", ["personal"]),
        ("I am a Christian", ["personal"]),
        ("SSN 123-45-6789", ["identity_number"]),
        ("token=abcd1234efgh", ["secret"]),
        ("GB82 WEST 1234 5698 7654 32", ["bank_card"]),
        ("我的验证码是 483920", ["secret"]),
        ("统一社会信用代码 91110000600037341L", ["credit_code"]),
    ],
)
def test_m67_m68_sensitive_data_is_found_also_glued_to_chinese_text(text: str, kinds: list[str]) -> None:
    assert sorted(find_sensitive(text)) == kinds


@pytest.mark.parametrize(
    "text",
    [
        "用户对花生过敏",
        "用户在 2026-11-29 签了合同",
        "The user works at Acme Corp",
        "用户每周三 19:30 打羽毛球",
        "The user was born in 1990",
        "用户开 488 GTB",
        "user uses Python 3.11 and version 1.2.3",
        "The user's API tokens budget is 4096 tokens",
        "用户的订单号是 20261130123456",
        "The user prefers 2 spaces and 120 columns",
        "用户住在杭州市西湖区",
        "The user owns 12 cats",
        "用户的项目代号是 X200-7",
        "order 1234567890",
        "The user wants passwords explained",
        "用户喜欢 multilingual-e5-small 模型",
        "meeting at 2026-11-30 10:00",
        "用户关注密码学",
        "The user is a token economist",
        "用户的生日是 3 月 5 日",
        "The user uses SHA-256 hashing",
        "用户信任这个团队",
        "commit 9f86d081884c7d659a2feaa0c55ad015a3bf4f1b",
        "The user likes secret is best novels",
        "用户信教授的话",
    ],
)
def test_ordinary_sentences_are_not_taken_for_secrets(text: str) -> None:
    assert find_sensitive(text) == []


def test_m68_a_wrong_check_digit_is_no_identity_number() -> None:
    assert "identity_number" not in find_sensitive("编号 110105194912310021")
