#ifndef COPENSSL_SHIM_H
#define COPENSSL_SHIM_H

#include <openssl/bn.h>
#include <openssl/core_names.h>
#include <openssl/crypto.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/kdf.h>
#include <openssl/pem.h>
#include <openssl/pkcs12.h>
#include <openssl/rand.h>
#include <openssl/rsa.h>
#include <openssl/x509.h>
#if defined(__linux__)
#include <sys/prctl.h>
#else
#include <sys/resource.h>
#endif

/* A macro that Swift does not import. */
static inline int copenssl_publicKeySelection(void) { return EVP_PKEY_PUBLIC_KEY; }

/* Decrypts a private key. Freeing the PKCS8_PRIV_KEY_INFO wipes its key; OpenSSL's PEM reader frees a copy unwiped. */
static inline EVP_PKEY *copenssl_openPrivateKey(X509_SIG *sealed, const void *passphrase, int length) {
    PKCS8_PRIV_KEY_INFO *info = PKCS8_decrypt(sealed, (const char *)passphrase, length);
    EVP_PKEY *key = info ? EVP_PKCS82PKEY(info) : NULL;
    PKCS8_PRIV_KEY_INFO_free(info);
    return key;
}

/* A variadic function that Swift does not import. */
static inline void copenssl_refuseCoreDumps(void) {
#if defined(__linux__)
    prctl(PR_SET_DUMPABLE, 0);
#else
    struct rlimit none = {0, 0};
    setrlimit(RLIMIT_CORE, &none);
#endif
}

/* OSSL_PARAM keeps the pointer to its name. A Swift string's pointer is valid for one call, a literal's always. */
static inline const char *copenssl_rsaModulus(void) { return OSSL_PKEY_PARAM_RSA_N; }
static inline const char *copenssl_rsaExponent(void) { return OSSL_PKEY_PARAM_RSA_E; }
static inline const char *copenssl_macDigest(void) { return OSSL_MAC_PARAM_DIGEST; }
static inline const char *copenssl_kdfPassword(void) { return OSSL_KDF_PARAM_PASSWORD; }
static inline const char *copenssl_kdfSalt(void) { return OSSL_KDF_PARAM_SALT; }
static inline const char *copenssl_kdfScryptN(void) { return OSSL_KDF_PARAM_SCRYPT_N; }
static inline const char *copenssl_kdfScryptR(void) { return OSSL_KDF_PARAM_SCRYPT_R; }
static inline const char *copenssl_kdfScryptP(void) { return OSSL_KDF_PARAM_SCRYPT_P; }
static inline const char *copenssl_kdfScryptMemory(void) { return OSSL_KDF_PARAM_SCRYPT_MAXMEM; }

#endif
