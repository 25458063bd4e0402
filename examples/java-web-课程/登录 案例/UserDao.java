package com.qinghe.portal.dao;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Timestamp;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import javax.sql.DataSource;

/** 用 JDBC 读写 t_user 表。所有语句都用 PreparedStatement，不拼接字符串。 */
public class UserDao {

    /** 连续失败达到这个次数就锁定账号。 */
    private static final int MAX_FAILURES = 6;

    /** 锁定的时长。 */
    private static final Duration LOCK_TIME = Duration.ofMinutes(35);

    private static final String FIND_BY_NAME =
            "SELECT id, username, password_hash, locked_until FROM t_user WHERE username = ?";

    /** 失败次数加一；达到上限时同时写入锁定的截止时间。 */
    private static final String RECORD_FAILURE =
            "UPDATE t_user SET failed_count = failed_count + 1, "
                    + "locked_until = CASE WHEN failed_count + 1 >= ? THEN ? ELSE locked_until END "
                    + "WHERE id = ?";

    private static final String CLEAR_FAILURES =
            "UPDATE t_user SET failed_count = 0, locked_until = NULL WHERE id = ?";

    private final DataSource dataSource;

    public UserDao(DataSource dataSource) {
        this.dataSource = dataSource;
    }

    /** 按用户名查找；没有这个用户时返回空的 Optional，而不是 null。 */
    public Optional<User> findByName(String username) throws SQLException {
        try (Connection connection = dataSource.getConnection();
                PreparedStatement statement = connection.prepareStatement(FIND_BY_NAME)) {
            statement.setString(1, username);
            try (ResultSet row = statement.executeQuery()) {
                return row.next() ? Optional.of(read(row)) : Optional.empty();
            }
        }
    }

    /** 记录一次失败的登录，必要时锁定账号。 */
    public void recordFailure(long userId) throws SQLException {
        try (Connection connection = dataSource.getConnection();
                PreparedStatement statement = connection.prepareStatement(RECORD_FAILURE)) {
            statement.setInt(1, MAX_FAILURES);
            statement.setTimestamp(2, Timestamp.from(Instant.now().plus(LOCK_TIME)));
            statement.setLong(3, userId);
            statement.executeUpdate();
        }
    }

    /** 登录成功后把失败次数清零。 */
    public void clearFailures(long userId) throws SQLException {
        try (Connection connection = dataSource.getConnection();
                PreparedStatement statement = connection.prepareStatement(CLEAR_FAILURES)) {
            statement.setLong(1, userId);
            statement.executeUpdate();
        }
    }

    private static User read(ResultSet row) throws SQLException {
        Timestamp lockedUntil = row.getTimestamp("locked_until");
        return new User(
                row.getLong("id"),
                row.getString("username"),
                row.getString("password_hash"),
                lockedUntil == null ? null : lockedUntil.toInstant());
    }

    /** t_user 的一行。 */
    public record User(long id, String username, String passwordHash, Instant lockedUntil) {

        /** 锁定的截止时间还没有到。 */
        public boolean isLocked() {
            return lockedUntil != null && Instant.now().isBefore(lockedUntil);
        }
    }
}
