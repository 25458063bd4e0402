package com.qinghe.portal.security;

import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.util.Base64;
import javax.crypto.SecretKeyFactory;
import javax.crypto.spec.PBEKeySpec;

/** 密码摘要，格式为“盐$摘要”，两段都是 Base64。hash_password.py 生成同样的格式。 */
public final class PasswordHasher {

    private static final int ITERATIONS = 120000;
    private static final int KEY_BITS = 256;

    private PasswordHasher() {
    }

    /** 密码与保存的摘要是否一致；比较所用的时间与内容无关。 */
    public static boolean matches(String password, String stored) {
        String[] parts = stored.split("\\$", 2);
        byte[] salt = Base64.getDecoder().decode(parts[0]);
        byte[] expected = Base64.getDecoder().decode(parts[1]);
        return MessageDigest.isEqual(expected, derive(password, salt));
    }

    private static byte[] derive(String password, byte[] salt) {
        PBEKeySpec spec = new PBEKeySpec(password.toCharArray(), salt, ITERATIONS, KEY_BITS);
        try {
            return SecretKeyFactory.getInstance("PBKDF2WithHmacSHA256").generateSecret(spec).getEncoded();
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("运行环境不支持 PBKDF2", e);
        } finally {
            spec.clearPassword();
        }
    }
}
