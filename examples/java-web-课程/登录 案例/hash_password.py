"""为 t_user 表的 password_hash 列生成密码摘要，格式与 PasswordHasher.java 相同。"""

import base64
import getpass
import hashlib
import secrets

ITERATIONS = 120000


def hash_password(password: str, salt: bytes) -> str:
    """返回“盐$摘要”，两段都是 Base64。"""
    digest = hashlib.pbkdf2_hmac("sha256", password.encode("utf-8"), salt, ITERATIONS)
    return f"{base64.b64encode(salt).decode()}${base64.b64encode(digest).decode()}"


if __name__ == "__main__":
    print(hash_password(getpass.getpass("密码："), secrets.token_bytes(16)))
