"""What `rename.py` may rename in the examples, and to what: names with parallel forms, figures with ranges.

General terms (Servlet, Filter, HttpServletRequest, HTTP status codes) are not here and stay as they are.
"""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Name:
    """One entity in all the forms in which it is written; every alternative gives the same forms in order."""

    forms: tuple[str, ...]
    alternatives: tuple[tuple[str, ...], ...]


@dataclass(frozen=True, slots=True)
class Figures:
    """Numbers that keep their order among themselves; `forms` says how each is written, `{}` is the number.

    A form of `{}` alone renames the bare number everywhere, so such a value may mean only one thing.
    """

    values: tuple[int, ...]
    choices: range
    forms: tuple[str, ...] = ("{}",)


def _one(form: str, *alternatives: str) -> Name:
    return Name((form,), tuple((alternative,) for alternative in alternatives))


NAMES: tuple[Name, ...] = (
    # The company and its products
    Name(
        ("清禾科技", "Qinghe Technology", "qinghe", "QH-FIN-07"),
        (
            ("远帆软件", "Yuanfan Software", "yuanfan", "YF-EXP-12"),
            ("北辰信息", "Beichen Information", "beichen", "BC-ADM-33"),
            ("松岚数据", "Songlan Data", "songlan", "SL-TRV-21"),
        ),
    ),
    Name(
        ("portal", "portal_app", "PORTALSESSION"),
        (
            ("intranet", "intranet_app", "INTRANETSESSION"),
            ("campus", "campus_rw", "CAMPUSSESSION"),
            ("workbench", "workbench_user", "WORKBENCHSESSION"),
        ),
    ),
    Name(
        ("P4", "P6", "P7", "P8", "P9"),
        (
            ("L1", "L3", "L4", "L5", "L6"),
            ("G11", "G13", "G14", "G15", "G16"),
            ("E2", "E4", "E5", "E6", "E7"),
        ),
    ),
    _one("X200", "K350", "V480", "H620", "R910"),
    _one("M75", "D12", "A38", "W66"),
    _one("N31", "Q52", "T17", "U84"),
    _one("S540", "C270", "F365", "Z830"),
    Name(
        ("便携投影仪", "portable projector"),
        (
            ("激光投影机", "laser projector"),
            ("会议投影机", "meeting projector"),
            ("迷你投影机", "mini projector"),
        ),
    ),
    Name(("1.6 千克", "1.6 kg"), (("2.3 千克", "2.3 kg"), ("1.9 千克", "1.9 kg"), ("0.8 千克", "0.8 kg"))),
    _one("2025-03-01", "2024-09-15", "2025-07-01", "2026-02-01"),
    # Identifiers of the login case
    _one("AuthFilter", "AccessFilter", "SessionGuardFilter", "EntryCheckFilter"),
    _one("LoginServlet", "SignInServlet", "LogonServlet", "EnterServlet"),
    Name(
        ("UserDao", "userDao"),
        (("AccountDao", "accountDao"), ("MemberRepository", "memberRepository"), ("StaffDao", "staffDao")),
    ),
    _one("PasswordHasher", "PasswordDigester", "SecretHasher", "CredentialHasher"),
    _one("PUBLIC_PATHS", "OPEN_PATHS", "ANONYMOUS_PATHS", "FREE_PATHS"),
    _one("loginUser", "currentMember", "signedInUser", "activeAccount"),
    Name(
        ("/login", "login.html", "login.js", 'action="login"'),
        (
            ("/signin", "signin.html", "signin.js", 'action="signin"'),
            ("/logon", "logon.html", "logon.js", 'action="logon"'),
            ("/enter", "enter.html", "enter.js", 'action="enter"'),
        ),
    ),
    _one("t_user", "t_account", "sys_member", "t_staff"),
    Name(
        ("locked_until", "lockedUntil"),
        (
            ("blocked_until", "blockedUntil"),
            ("frozen_until", "frozenUntil"),
            ("lock_expires", "lockExpires"),
        ),
    ),
    Name(
        ("password_hash", "passwordHash"),
        (("password_digest", "passwordDigest"), ("secret_hash", "secretHash"), ("pwd_digest", "pwdDigest")),
    ),
    _one("failed_count", "fail_times", "failure_total", "miss_count"),
    _one("hash_password", "make_digest", "derive_secret", "digest_tool"),
    _one("session.timeout-minutes", "session.idle-minutes", "http.session-minutes", "web.max-idle-minutes"),
    _one("datasource.pool", "jdbc.pool", "database.pool", "mysql.pool"),
    _one("HEAP_MB", "MEMORY_MB", "JVM_HEAP_MB", "MAX_HEAP_MB"),
    # Files and folders, also where a text mentions them
    _one("java-web-课程", "web-开发-讲义", "javaee-培训", "后端-公开课"),
    _one("登录 案例", "示例 代码", "配套 源码", "case 源程序"),
    _one("01-Servlet 生命周期", "第一讲-Servlet 的一生", "A1-Servlet 基础", "01-Servlet 三个阶段"),
    _one("过滤器与拦截器", "拦截器与过滤器", "Filter 与 Interceptor", "过滤与拦截"),
    _one("登录流程", "用户登录讲解", "登录实战", "登录全过程"),
    _one("JDBC 数据访问", "JDBC 编程", "JDBC 入门", "用 JDBC 访问数据库"),
    _one("部署手册", "上线手册", "发布指南", "运维手册"),
    _one("会话安全", "会话防护", "Session 安全", "会话保护"),
    _one("差旅报销制度", "出差费用办法", "差旅费管理规定", "商旅报销规则"),
    _one("差旅制度", "出差规定", "商旅制度", "费用管理"),
    _one("travel-policy", "trip-policy", "travel-rules", "business-travel"),
    _one("设备清单", "器材清单", "设备目录", "借用清单"),
)

FIGURES: tuple[Figures, ...] = (
    # Travel policy
    Figures((650, 480, 350), range(280, 900, 10)),
    Figures((130, 110, 90), range(60, 190, 5)),
    Figures((70,), range(40, 100)),
    Figures((25,), range(12, 41)),
    Figures((75,), range(50, 200)),
    Figures((8000,), range(4000, 20000, 500)),
    Figures((28,), range(15, 61)),
    Figures((36,), range(12, 73)),
    Figures((55,), range(30, 90)),
    Figures((3,), range(2, 8), ("{} 个工作日", "{} working days")),
    Figures((12,), range(8, 31), ("{} 个工作日", "{} working days")),
    Figures((5,), range(3, 8), ("{} 小时内", "within {} hours")),
    # Equipment
    Figures((800, 310, 260, 420), range(150, 990, 10)),
    Figures((14, 22), range(11, 60)),
    # Login case and deployment
    Figures((45,), range(20, 100)),
    Figures((35,), range(10, 100)),
    Figures((6,), range(3, 10), ("MAX_FAILURES = {}", "login.max-failures={}")),
    Figures((120000,), range(90000, 400000, 10000)),
    Figures((24,), range(10, 80)),
    Figures((3000,), range(1500, 9500, 500)),
    Figures((64,), range(40, 110)),
    Figures((8090,), range(8081, 9999)),
    Figures((768,), range(512, 4096, 128)),
    Figures((20, 40), range(11, 90)),
    Figures((21,), range(10, 90)),
    Figures((18,), range(10, 60)),
    Figures((150,), range(60, 500, 10)),
)
