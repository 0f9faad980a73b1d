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
#include <openssl/x509.h>

/* A macro that Swift does not import. */
static inline int copenssl_publicKeySelection(void) { return EVP_PKEY_PUBLIC_KEY; }

/* OSSL_PARAM keeps the pointer to its name. A Swift string's lasts for one call, these literals' for ever. */
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
