// 提交登录表单，并把失败的原因显示在页面上。

/** 根据响应决定显示什么；返回 null 表示登录成功。 */
function messageFor(response) {
  if (response.redirected && response.url.endsWith("/home")) {
    return null;
  }
  if (response.status === 401) {
    return "用户名或密码不正确";
  }
  if (response.status === 404) {
    return "登录地址不存在，请检查重定向是否带有上下文路径";
  }
  return "登录失败，请稍后再试";
}

async function submitLogin(event) {
  event.preventDefault();
  const form = event.target;
  const response = await fetch(form.action, {
    method: "POST",
    body: new URLSearchParams(new FormData(form)),
    credentials: "same-origin",
  });
  const message = messageFor(response);
  if (message === null) {
    window.location.assign(response.url);
    return;
  }
  document.getElementById("message").textContent = message;
}

document.getElementById("login-form").addEventListener("submit", submitLogin);
