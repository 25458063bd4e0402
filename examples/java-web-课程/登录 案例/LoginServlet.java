package com.qinghe.portal.web;

import com.qinghe.portal.dao.UserDao;
import com.qinghe.portal.security.PasswordHasher;
import jakarta.servlet.ServletException;
import jakarta.servlet.http.HttpServlet;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import jakarta.servlet.http.HttpSession;
import java.io.IOException;
import java.sql.SQLException;
import java.util.Optional;
import javax.sql.DataSource;

/** 显示登录页，核对密码，建立会话。映射写在 web.xml 里。 */
public class LoginServlet extends HttpServlet {

    private static final String FAILED = "用户名或密码不正确";

    private UserDao userDao;

    @Override
    public void init() {
        DataSource dataSource = (DataSource) getServletContext().getAttribute("dataSource");
        userDao = new UserDao(dataSource);
    }

    @Override
    protected void doGet(HttpServletRequest request, HttpServletResponse response)
            throws ServletException, IOException {
        // 内部转发不会再次经过 AuthFilter
        request.getRequestDispatcher("/login.html").forward(request, response);
    }

    @Override
    protected void doPost(HttpServletRequest request, HttpServletResponse response)
            throws ServletException, IOException {
        String username = request.getParameter("username");
        String password = request.getParameter("password");
        try {
            Optional<UserDao.User> user = authenticate(username, password);
            if (user.isEmpty()) {
                response.sendError(HttpServletResponse.SC_UNAUTHORIZED, FAILED);
                return;
            }
            startSession(request, user.get());
            response.sendRedirect(request.getContextPath() + "/home");
        } catch (SQLException e) {
            throw new ServletException("登录时访问数据库失败", e);
        }
    }

    /** 账号不存在、被锁定、密码错误三种情况返回同样的结果，以免泄露账号是否存在。 */
    private Optional<UserDao.User> authenticate(String username, String password) throws SQLException {
        if (username == null || password == null) {
            return Optional.empty();
        }
        Optional<UserDao.User> found = userDao.findByName(username);
        if (found.isEmpty() || found.get().isLocked()) {
            return Optional.empty();
        }
        UserDao.User user = found.get();
        if (!PasswordHasher.matches(password, user.passwordHash())) {
            userDao.recordFailure(user.id());
            return Optional.empty();
        }
        userDao.clearFailures(user.id());
        return found;
    }

    /** 先换会话编号再保存用户，防止会话固定攻击。 */
    private void startSession(HttpServletRequest request, UserDao.User user) {
        request.getSession(true);
        request.changeSessionId();
        HttpSession session = request.getSession();
        session.setAttribute("loginUser", user.username());
    }
}
