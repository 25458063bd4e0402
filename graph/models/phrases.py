"""What the offline model says in its own words, in both languages. Everything else it says is a quotation."""

from graph.models.language import Language

NAME = "offline (extractive)"

PHRASES: dict[str, dict[Language, str]] = {
    "greeting": {
        "zh": "你好！请问我您的文档里的内容。",
        "en": "Hello! Ask me about your documents.",
    },
    "thanks": {"zh": "不客气。", "en": "You are welcome."},
    "acknowledgement": {"zh": "好的。", "en": "All right."},
    "about_assistant": {
        "zh": "我是 Recite 的离线模型：不联网，不改写，只摘录您的文档里的原文并标明出处。",
        "en": "I am Recite's offline model: without a network, I quote your documents word for word and say where.",
    },
    "remember": {
        "zh": "好的，应用会检查这条内容，通过后才会保存。",
        "en": "All right, the application will check this, and keep it only if it passes.",
    },
    "forget": {
        "zh": "好的，应用会核对这个请求，然后处理对应的记忆。",
        "en": "All right, the application will check this request and then deal with the memory in question.",
    },
    "preference": {
        "zh": "好的，应用会检查这个偏好，通过后在以后的回答中使用。",
        "en": "All right, the application will check this preference and use it from then on if it passes.",
    },
    "statement": {
        "zh": "好的，明白了。",
        "en": "All right, understood.",
    },
    "unknown_user": {"zh": "我还没有记住与此有关的内容。", "en": "I do not remember anything about that yet."},
    "recalled": {"zh": "我记得：", "en": "What I remember: "},
    "foreign_quotes": {"zh": "资料中的原文是：", "en": "The documents say, in their own language:"},
    "calculated": {"zh": "计算结果：{content}", "en": "The result: {content}"},
    "dated": {"zh": "当前日期：{content}", "en": "The current date: {content}"},
    "returned": {"zh": "{name} 的结果：{content}", "en": "The result of {name}: {content}"},
    "failed": {"zh": "{name} 没有成功：{content}", "en": "{name} did not succeed: {content}"},
    "main_points": {"zh": "要点如下：", "en": "The main points:"},
    "answer_is": {"zh": "答案：", "en": "Answer: "},
    "statement_column": {"zh": "内容", "en": "Statement"},
}


def phrase(name: str, language: Language) -> str:
    """One of the sentences above."""
    return PHRASES[name][language]
