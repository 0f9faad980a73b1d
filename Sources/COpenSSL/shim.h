#ifndef COPENSSL_SHIM_H
#define COPENSSL_SHIM_H

#include <openssl/bn.h>
#include <openssl/core_names.h>
#include <openssl/crypto.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/pkcs12.h>
#include <openssl/rand.h>
#include <openssl/rsa.h>
#include <openssl/x509.h>
#include <string.h>
#if defined(__linux__)
#include <sys/prctl.h>
#else
#include <sys/resource.h>
#endif

/* A macro that Swift does not import. */
static inline int copenssl_publicKeySelection(void) { return EVP_PKEY_PUBLIC_KEY; }

/* Decrypts a private key in PKCS#8. The caller wipes and frees it. */
static inline unsigned char *copenssl_decryptPrivateKey(
    const X509_SIG *sealed, const void *passphrase, int length, int *size) {
    const X509_ALGOR *algorithm;
    const ASN1_OCTET_STRING *bytes;
    unsigned char *der = NULL;
    X509_SIG_get0(sealed, &algorithm, &bytes);
    return PKCS12_pbe_crypt(algorithm, (const char *)passphrase, length, ASN1_STRING_get0_data(bytes),
        ASN1_STRING_length(bytes), &der, size, 0);
}

/* Reads a private key in PKCS#8. OpenSSL 3.0 knows only version 1, so version 2 (RFC 5958) is first made version 1, in place.
   `half` gets the bit string of version 2's public key, within the bytes, if there is one. */
static inline EVP_PKEY *copenssl_privateKey(unsigned char *der, long length, const unsigned char **half, long *count) {
    const unsigned char *at = der;
    long size = 0;
    int tag, class;
    if (ASN1_get_object(&at, &size, &tag, &class, length) == V_ASN1_CONSTRUCTED && size > 3
        && !memcmp(at, "\2\1\1", 3)) {
        unsigned char *head = der + (at - der);
        const unsigned char *end = at + size, *last = at;
        for (int part = 0; at < end; part++) {
            if (ASN1_get_object(&at, &size, &tag, &class, end - at) & 0x81) return NULL;
            if (class == V_ASN1_CONTEXT_SPECIFIC && tag == 1) {
                *half = at;
                *count = size;
            }
            at += size;
            if (part < 3) last = at; // the version, the algorithm and the key
        }
        size = last - head;
        head[2] = 0;
        *--head = (unsigned char)size;
        if (size > 0xFF) *--head = (unsigned char)(size >> 8);
        if (size > 0x7F) *--head = size > 0xFF ? 0x82 : 0x81;
        *--head = V_ASN1_CONSTRUCTED | V_ASN1_SEQUENCE;
        der = head;
        length = last - head;
    }
    const unsigned char *start = der;
    PKCS8_PRIV_KEY_INFO *info = size > 0xFFFF ? NULL : d2i_PKCS8_PRIV_KEY_INFO(NULL, &start, length);
    EVP_PKEY *key = info ? EVP_PKCS82PKEY(info) : NULL;
    PKCS8_PRIV_KEY_INFO_free(info); // wipes the key; OpenSSL's PEM reader frees a copy unwiped
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

#endif
