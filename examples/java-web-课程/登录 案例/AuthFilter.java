package com.qinghe.portal.web;

import jakarta.servlet.Filter;
import jakarta.servlet.FilterChain;
import jakarta.servlet.ServletException;
import jakarta.servlet.ServletRequest;
import jakarta.servlet.ServletResponse;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import jakarta.servlet.http.HttpSession;
import java.io.IOException;
import java.util.Set;

/**
 * 登录检查过滤器：会话里没有 loginUser 的请求被送回登录页。
 *
 * <p>本文件保留了课堂上要找的两个缺陷，见《登录流程》的排错一节。
 */
public class AuthFilter implements Filter {

    /**
     * 不需要登录就能访问的路径。
     *
     * <p>缺陷一：白名单漏掉了 /login。登录页和登录请求自己也被拦截，
     * 请求到不了 LoginServlet，结果是无限重定向。
     */
    private static final Set<String> PUBLIC_PATHS = Set.of("/health", "/login.js", "/favicon.ico");

    @Override
    public void doFilter(ServletRequest req, ServletResponse res, FilterChain chain)
            throws IOException, ServletException {
        HttpServletRequest request = (HttpServletRequest) req;
        HttpServletResponse response = (HttpServletResponse) res;
        if (isPublic(request) || isLoggedIn(request)) {
            chain.doFilter(request, response);
            return;
        }
        redirectToLogin(response);
    }

    /** getServletPath 不含上下文路径，所以白名单里也不写上下文路径。 */
    private boolean isPublic(HttpServletRequest request) {
        return PUBLIC_PATHS.contains(request.getServletPath());
    }

    /** 参数 false 表示不要为未登录的访客新建会话。 */
    private boolean isLoggedIn(HttpServletRequest request) {
        HttpSession session = request.getSession(false);
        return session != null && session.getAttribute("loginUser") != null;
    }

    /**
     * 缺陷二：重定向没有加上下文路径。
     *
     * <p>应用部署在 /portal 时，浏览器会跳到服务器根路径的 /login，得到 404。
     * 正确写法是 request.getContextPath() + "/login"。
     */
    private void redirectToLogin(HttpServletResponse response) throws IOException {
        response.sendRedirect("/login");
    }
}
