-- 门户登录所用的表。字符集统一为 utf8mb4。

CREATE TABLE t_user (
    id            BIGINT       NOT NULL AUTO_INCREMENT COMMENT '用户编号',
    username      VARCHAR(64)  NOT NULL COMMENT '登录名，区分大小写',
    password_hash VARCHAR(200) NOT NULL COMMENT '密码摘要，格式为 盐$摘要',
    failed_count  INT          NOT NULL DEFAULT 0 COMMENT '连续登录失败的次数，成功后清零',
    locked_until  DATETIME     NULL COMMENT '账号锁定的截止时间，NULL 表示没有锁定',
    created_at    DATETIME     NOT NULL DEFAULT CURRENT_TIMESTAMP COMMENT '创建时间',
    PRIMARY KEY (id),
    UNIQUE KEY uk_username (username)
) ENGINE = InnoDB DEFAULT CHARSET = utf8mb4 COMMENT = '门户用户';

-- 登录历史只追加，不修改
CREATE TABLE t_login_log (
    id         BIGINT      NOT NULL AUTO_INCREMENT COMMENT '记录编号',
    user_id    BIGINT      NOT NULL COMMENT '用户编号',
    succeeded  TINYINT(1)  NOT NULL COMMENT '1 成功，0 失败',
    client_ip  VARCHAR(39) NOT NULL COMMENT '客户端地址，兼容 IPv6',
    created_at DATETIME    NOT NULL DEFAULT CURRENT_TIMESTAMP COMMENT '登录时间',
    PRIMARY KEY (id),
    KEY idx_user_time (user_id, created_at),
    CONSTRAINT fk_login_user FOREIGN KEY (user_id) REFERENCES t_user (id)
);
