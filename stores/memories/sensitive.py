"""What never goes into long-term memory: identity numbers, ways to reach or pay someone, secrets.

Kinds are returned, never the matched text, so that a refusal can be logged. E-mail addresses count as
sensitive, as telephone numbers do: they reach a person. `personal` (health, belief, pay …) is not a secret; it is
kept out unless the user confirms.
"""

import math
import re
import unicodedata
from collections import Counter
from typing import Literal

import phonenumbers
from stdnum import iban, luhn
from stdnum.cn import ric, uscc

SensitiveKind = Literal[
    "identity_number", "mobile", "phone", "bank_card", "passport", "licence_plate", "credit_code", "email",
    "secret", "private_key", "personal",
]  # fmt: skip

_GAP = r"[\s\-.·]?"
_SPOKEN_DIGITS = str.maketrans("零〇一二三四五六七八九幺", "001234567891")
_SPOKEN_RUN = re.compile(
    r"[零〇一二三四五六七八九幺0-9][零〇一二三四五六七八九幺0-9\s-]{9,}[零〇一二三四五六七八九幺0-9]"
)
_INVISIBLE = re.compile("[\u00ad\u200b-\u200f\u2060\ufeff]")

_RIC = re.compile(rf"(?<![0-9])[1-9](?:{_GAP}[0-9]){{16}}{_GAP}[0-9Xx](?![0-9A-Za-z])")
_IDENTITY_KEYWORD = re.compile(
    rf"(?:身份证|证件号|居民证|identity (?:card|number)|id (?:card|number)|social security"
    rf"|ssn)[^0-9\n]{{0,12}}[0-9](?:{_GAP}[0-9]){{7,16}}",
    re.IGNORECASE,
)
_SSN = re.compile(r"(?<![0-9-])(?!000|666|9)[0-9]{3}-(?!00)[0-9]{2}-(?!0000)[0-9]{4}(?![0-9-])")
_MOBILE = re.compile(rf"(?<![0-9.])(?:(?:\+|00)?86{_GAP})?1[3-9][0-9](?:{_GAP}[0-9]){{8}}(?![0-9])")
_PHONE_KEYWORD = re.compile(
    r"电话|座机|手机|号码|致电|热线|传真|\b(?:phone|tel|telephone|mobile|cell|call|fax|whatsapp)\b",
    re.IGNORECASE,
)
_CARD = re.compile(rf"(?<![0-9])[3-6](?:{_GAP}[0-9]){{12,18}}(?![0-9])")
_CARD_KEYWORD = re.compile(
    rf"(?:卡号|银行卡|信用卡|借记卡|储蓄卡|银行账[号户]|账号|\b(?:card|account"
    rf"|iban)\b)[^0-9\n]{{0,20}}[0-9](?:{_GAP}[0-9]){{11,18}}",
    re.IGNORECASE,
)
_IBAN = re.compile(r"(?<![A-Za-z0-9])[A-Z]{2}[0-9]{2}(?: ?[A-Z0-9]{4}){2,7}(?: ?[A-Z0-9]{1,3})?(?![A-Za-z0-9])")
_PASSPORT = re.compile(r"(?<![A-Za-z0-9])(?:[EGDSP][0-9]{8}|E[A-HJ-NP-Z][0-9]{7})(?![A-Za-z0-9])")
_PASSPORT_KEYWORD = re.compile(
    r"(?:护照|通行证|passport)[^A-Za-z0-9\n]{0,12}(?:(?:number|no\.?|is)\s*){0,3}[A-Za-z]{0,2}[0-9]{6,9}",
    re.IGNORECASE,
)
_PLATE = re.compile(
    r"[京津沪渝冀豫云辽黑湘皖鲁新苏浙赣鄂桂甘晋蒙陕吉闽贵粤青藏川宁琼使领][A-HJ-NP-Za-hj-np-z][·•\s-]?(?=[A-Za-z0-9]*[0-9])[A-HJ-NP-Za-hj-np-z0-9]{4,6}[挂学警港澳]?(?![A-Za-z0-9])"
)
_PLATE_KEYWORD = re.compile(
    r"(?:车牌|licen[cs]e plate|plate number|number plate"
    r"|registration plate)[^A-Za-z0-9\n]{0,8}(?:(?:number"
    r"|is)\s*){0,2}(?=[A-Z0-9 -]{0,8}[0-9])[A-Z0-9](?:[ -]?[A-Z0-9]){3,7}",
    re.IGNORECASE,
)
_CREDIT_CODE = re.compile(
    r"(?<![0-9A-Za-z])[0-9A-HJ-NPQRTUWXY]{2}[0-9]{6}[0-9A-HJ-NPQRTUWXY]{10}(?![0-9A-Za-z])", re.IGNORECASE
)
_EMAIL = re.compile(r"[A-Za-z0-9._%+-]+@[A-Za-z0-9-]+(?:\.[A-Za-z0-9-]+)+")

_PRIVATE_KEY = re.compile(r"-----BEGIN [A-Z0-9 ]*PRIVATE KEY|-----BEGIN OPENSSH|PuTTY-User-Key-File")
_KNOWN_SECRET = re.compile(
    r"(?<![A-Za-z0-9])(?:sk|pk|rk)[-_](?:[A-Za-z0-9]+[-_])*[A-Za-z0-9_-]{8,}|gh[opsur]_[A-Za-z0-9]{16,}"
    r"|github_pat_\w{16,}|glpat-[\w-]{12,}|xox[abeprs]-[\w-]{8,}"
    r"|(?:AKIA|ASIA|AKID|LTAI)[0-9A-Za-z]{12,}|AIza[\w-]{20,}|ya29\.[\w-]{10,}"
    r"|(?<![A-Za-z0-9])hf_[A-Za-z0-9]{16,}|(?<![A-Za-z0-9])npm_[A-Za-z0-9]{16,}|pypi-[\w-]{16,}"
    r"|dop_v1_\w{16,}"
    r"|SG\.[\w-]{8,}\.[\w-]{8,}|eyJ[\w-]{8,}\.eyJ[\w-]{8,}|lsv2_\w{8,}|tvly-[\w-]{8,}"
    r"|Bearer\s+[\w.~+/=-]{12,}"
)
_SECRECY = (
    r"(?:api[\s_-]?keys?|access[\s_-]?keys?|secret(?:[\s_-]?(?:key|token|id))?|(?:access|auth|bearer"
    r"|refresh|api)?[\s_-]?token|pass(?:word|wd|code|phrase)|pwd|pin(?:[\s-]?(?:code|number))?"
    r"|credentials?|otp|cvv"
    r"|密码|口令|密钥|私钥|令牌|验证码|校验码|暗码|支付码|助记词|访问码|解锁码)"
)
_SECRET_ASSIGNED = re.compile(
    rf"(?<![A-Za-z]){_SECRECY}[^\n:：=是为]{{0,16}}(?:[:：=]|是|为)\s*[\"'“‘`]?(?P<value>[!-~]{{4,}})",
    re.IGNORECASE,
)
_SECRET_SAID = re.compile(
    rf"(?<![A-Za-z]){_SECRECY}(?:\s+(?:for|to|of)\s+[\w\s]{{1,24}}?)?\s+(?:is|was"
    rf"|equals)\s+[\"'“‘`]?(?P<value>[!-~]{{4,}})",
    re.IGNORECASE,
)
_SECRET_BESIDE = re.compile(rf"(?<![A-Za-z]){_SECRECY}\s*[\"'“‘`]?(?P<value>[!-~]{{4,}})", re.IGNORECASE)
_OPAQUE = re.compile(r"(?<![A-Za-z0-9+/_=-])[A-Za-z0-9+/_=]{24,}(?![A-Za-z0-9+/_=-])")
_LONG_WORD = 14
_SHORTEST_RANDOM = 16
_MIN_ENTROPY = 3.5
"""Bits a character; English words lie near 2.5 to 3.3, random base64 of 24 characters above 4."""

_PERSONAL = re.compile(
    r"抑郁|焦虑症|躁郁|双相|精神分裂|精神病|强迫症|自闭症|癌|肿瘤|艾滋|乙肝|糖尿病|高血压|心脏病|癫痫"
    r"|哮喘|梅毒|性病|怀孕|流产|不孕|残疾|确诊|病史|病历|化疗|透析|服药|吃药|药物治疗|心理咨询|患有|患了"
    r"|得了.{0,4}病"
    r"|(?:信|信奉|信仰|皈依).{0,4}(?:教(?![授练室育师])|佛|主|基督|真主)|基督徒|基督教|穆斯林|伊斯兰"
    r"|佛教|天主教|道教|犹太教|印度教|宗教|无神论|政治面貌|党员|党派"
    r"|性取向|同性恋|双性恋|跨性别|出柜|月薪|年薪|工资|薪水|薪资|薪酬|收入|存款|负债|欠债|房贷|年终奖"
    r"|前科|犯罪记录|坐过牢|离婚|家暴"
    r"|\b(?:depress(?:ion|ed)|anxiety disorder|bipolar|schizophreni\w+|autis\w+|adhd|ocd|ptsd|cancer"
    r"|tumou?r|hiv|aids|hepatitis|diabet\w+|epilep\w+|hypertension|asthma|pregnan\w+|miscarriage"
    r"|infertil\w+|disab(?:led|ility)"
    r"|diagnosed|chemotherapy|dialysis|medications?|antidepressants?|psychiatr\w+|therapist|in therapy"
    r"|mental illness"
    r"|christian|catholic|protestant|muslim|islam|jewish|judaism|buddhis[tm]|hindu\w*|religio\w+|atheist"
    r"|republican|democrat|political party"
    r"|gay|lesbian|bisexual|transgender|sexual orientation|salary|income|net worth|my savings|in debt"
    r"|mortgage|(?:earn|make)s? (?:about )?[$€£¥]?[0-9]|criminal record|convicted|divorced?)\b",
    re.IGNORECASE,
)


def find_sensitive(text: str) -> list[SensitiveKind]:
    """The kinds of sensitive data in a text, each once, in a fixed order; empty when there is none."""
    plain = _plain(text)
    mobile = bool(_MOBILE.search(plain))
    checks: list[tuple[SensitiveKind, bool]] = [
        ("identity_number", _identity(plain)),
        ("mobile", mobile),
        ("phone", not mobile and _phone(plain)),
        ("bank_card", _bank(plain)),
        ("passport", bool(_PASSPORT.search(plain) or _PASSPORT_KEYWORD.search(plain))),
        ("licence_plate", bool(_PLATE.search(plain) or _PLATE_KEYWORD.search(plain))),
        ("credit_code", any(uscc.is_valid(found.upper()) for found in _CREDIT_CODE.findall(plain))),
        ("email", bool(_EMAIL.search(plain))),
        ("secret", _secret(plain)),
        ("private_key", bool(_PRIVATE_KEY.search(plain))),
        ("personal", bool(_PERSONAL.search(plain))),
    ]
    return [kind for kind, found in checks if found]


def _plain(text: str) -> str:
    """Compatibility form without invisible characters; long runs of spoken digits become digits."""
    plain = _INVISIBLE.sub("", unicodedata.normalize("NFKC", text))
    return _SPOKEN_RUN.sub(lambda run: run[0].translate(_SPOKEN_DIGITS), plain)


def _compact(number: str) -> str:
    return re.sub(r"[^0-9A-Za-z]", "", number).upper()


def _identity(text: str) -> bool:
    if any(ric.is_valid(_compact(found)) for found in _RIC.findall(text)):
        return True
    return bool(_SSN.search(text) or _IDENTITY_KEYWORD.search(text))


def _phone(text: str) -> bool:
    spoken = bool(_PHONE_KEYWORD.search(text))
    for region in ("CN", "US", "GB"):
        for match in phonenumbers.PhoneNumberMatcher(text, region):
            written = match.raw_string
            punctuated = written.startswith("+") or bool(re.search(r"[0-9)][\s()./-]+[0-9(]", written))
            if (region == "CN" and punctuated) or written.startswith("+") or spoken:
                return True
            if punctuated and re.fullmatch(r"\(?[0-9]{3}\)?[\s.-][0-9]{3}[\s.-][0-9]{4}", written):
                return True
    return False


def _bank(text: str) -> bool:
    if any(luhn.is_valid(_compact(found)) for found in _CARD.findall(text)):
        return True
    if any(iban.is_valid(found) for found in _IBAN.findall(text)):
        return True
    return bool(_CARD_KEYWORD.search(text))


def _secret(text: str) -> bool:
    if _KNOWN_SECRET.search(text) or _SECRET_ASSIGNED.search(text):
        return True
    if any(_looks_made_up(found["value"]) for found in _SECRET_SAID.finditer(text)):
        return True
    if any(_looks_random(found["value"]) for found in _SECRET_BESIDE.finditer(text)):
        return True
    return any(_looks_random(found) for found in _OPAQUE.findall(text))


def _looks_made_up(value: str) -> bool:
    """A value that no sentence goes on with: digits, symbols or capitals inside, or a very long word."""
    word = value.rstrip(".,!?;:\"'")
    return bool(re.search(r"[0-9]|[^A-Za-z0-9'’-]|[a-z][A-Z]", word)) or len(word) >= _LONG_WORD


def _looks_random(value: str) -> bool:
    if len(value) < _SHORTEST_RANDOM or not (
        re.search("[a-z]", value) and re.search("[A-Z]", value) and re.search("[0-9]", value)
    ):
        return False
    shares = [count / len(value) for count in Counter(value).values()]
    return -sum(share * math.log2(share) for share in shares) >= _MIN_ENTROPY
