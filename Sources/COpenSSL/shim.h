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

/* Decrypts a private key in PKCS#8. Returns its DER, which the caller wipes and frees, and sets its size; NULL if the
   passphrase is wrong, or OpenSSL lacks the cipher. */
static inline unsigned char *copenssl_decryptPrivateKey(
    const X509_SIG *sealed, const void *passphrase, int length, int *size) {
    const X509_ALGOR *algorithm;
    const ASN1_OCTET_STRING *bytes;
    unsigned char *der = NULL;
    X509_SIG_get0(sealed, &algorithm, &bytes);
    return PKCS12_pbe_crypt(algorithm, (const char *)passphrase, length, ASN1_STRING_get0_data(bytes),
        ASN1_STRING_length(bytes), &der, size, 0);
}

/* A private key in PKCS#8, version 1 or 2: a sequence of the version, the algorithm, the key, attributes, and in
   version 2 (RFC 5958) perhaps the public key. */
struct copenssl_pkcs8 {
    unsigned char *der; /* the outer sequence, from its tag on */
    long length;
    const unsigned char *public_bits; /* its public key: the contents of a bit string; NULL if there is none */
    long public_length;
};

/* OpenSSL 3.0 knows only version 1, so version 2 is made version 1, in place: what follows the key is cut off, and the
   sequence gets the number 0 and a shorter length. What is not version 2 stays as it is. Returns 0 if a version 2 is
   malformed, or too long for a length of two bytes. */
static inline int copenssl_make_version1(struct copenssl_pkcs8 *key) {
    const unsigned char *at = key->der;
    long size = 0;
    int tag, class;
    int form = ASN1_get_object(&at, &size, &tag, &class, key->length);
    if (form != V_ASN1_CONSTRUCTED || class != V_ASN1_UNIVERSAL || tag != V_ASN1_SEQUENCE) return 1;
    if (size <= 3 || memcmp(at, "\2\1\1", 3)) return 1; /* the number of version 2 is 1 */
    unsigned char *body = key->der + (at - key->der);
    const unsigned char *end = at + size, *end_of_key = at;
    for (int member = 0; at < end; member++) {
        int has_fault_or_no_length = ASN1_get_object(&at, &size, &tag, &class, end - at) & 0x81;
        if (has_fault_or_no_length) return 0;
        if (class == V_ASN1_CONTEXT_SPECIFIC && tag == 1) {
            key->public_bits = at;
            key->public_length = size;
        }
        at += size;
        if (member < 3) end_of_key = at; /* after the version, the algorithm and the key */
    }
    size = end_of_key - body;
    if (size > 0xFFFF) return 0;
    body[2] = 0;
    /* The new length has no more bytes than the old one, so there is room before the body. */
    unsigned char *head = body;
    *--head = (unsigned char)size;
    if (size > 0xFF) *--head = (unsigned char)(size >> 8);
    if (size > 0x7F) *--head = size > 0xFF ? 0x82 : 0x81;
    *--head = V_ASN1_CONSTRUCTED | V_ASN1_SEQUENCE;
    key->der = head;
    key->length = end_of_key - head;
    return 1;
}

/* Reads a private key in PKCS#8, and changes its bytes. NULL if OpenSSL cannot read it. `public_bits` gets the bit
   string of its public key, within the bytes, if it has one; else it stays as it is. */
static inline EVP_PKEY *copenssl_privateKey(
    unsigned char *der, long length, const unsigned char **public_bits, long *public_length) {
    struct copenssl_pkcs8 pkcs8 = {der, length, NULL, 0};
    if (!copenssl_make_version1(&pkcs8)) return NULL;
    if (pkcs8.public_bits) {
        *public_bits = pkcs8.public_bits;
        *public_length = pkcs8.public_length;
    }
    const unsigned char *start = pkcs8.der;
    PKCS8_PRIV_KEY_INFO *info = d2i_PKCS8_PRIV_KEY_INFO(NULL, &start, pkcs8.length);
    EVP_PKEY *key = info ? EVP_PKCS82PKEY(info) : NULL;
    PKCS8_PRIV_KEY_INFO_free(info); /* wipes the key; OpenSSL's PEM reader frees a copy unwiped */
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
