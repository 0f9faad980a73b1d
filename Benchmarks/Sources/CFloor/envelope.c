// Packs and verifies directly with libcrypto and libzip: one script, the default suite, and a signature with rsa-sha1 or ed25519.
//
// It processes the bytes as the library does, but does none of the library's checks. The manifest is accepted as it is, and the
// zip as libzip reads it.
#include "CFloor.h"

#include <openssl/core_names.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/x509.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zip.h>

enum { IV = 16, BLOCK = 16, WINDOW = 65536 };
static const char delimiter[] = "\n--patchpack-envelope-1 ";

struct floor_keys {
    EVP_PKEY *key;
    EVP_CIPHER *cipher;
    EVP_MAC *hmac;
    unsigned char script_key[16];
    char script_key_id[17], key_id[17];
    /// The name of the signature's algorithm, and its digest; Ed25519 has no digest.
    const char *algorithm, *digest;
    /// Are used for each envelope, if they are kept.
    EVP_CIPHER_CTX *decryption;
    EVP_MD_CTX *verification, *fingerprint;
    EVP_MD *md5;
};

void floor_keep_contexts(floor_keys *keys) {
    keys->decryption = EVP_CIPHER_CTX_new();
    keys->verification = EVP_MD_CTX_new();
    keys->fingerprint = EVP_MD_CTX_new();
    keys->md5 = EVP_MD_fetch(NULL, "MD5", NULL);
    EVP_DecryptInit_ex2(keys->decryption, keys->cipher, keys->script_key, NULL, NULL);
    EVP_DigestVerifyInit_ex(keys->verification, NULL, keys->digest, NULL, NULL, keys->key, NULL);
}

static void write_hex(char *hex, const unsigned char *bytes, size_t count) {
    for (size_t i = 0; i < count; i++) sprintf(hex + 2 * i, "%02x", bytes[i]);
}

floor_keys *floor_keys_read(const char *pem_path, bool is_private, const char *script_key_path) {
    floor_keys *keys = calloc(1, sizeof *keys);
    FILE *pem = fopen(pem_path, "r"), *hex = fopen(script_key_path, "r");
    if (!keys || !pem || !hex) return NULL;
    keys->key = is_private ? PEM_read_PrivateKey(pem, NULL, NULL, NULL) : PEM_read_PUBKEY(pem, NULL, NULL, NULL);
    bool is_rsa = EVP_PKEY_is_a(keys->key, "RSA");
    keys->algorithm = is_rsa ? "rsa-sha1" : "ed25519";
    keys->digest = is_rsa ? "SHA1" : NULL;
    for (int i = 0; i < 16; i++) {
        unsigned byte;
        if (fscanf(hex, "%2x", &byte) != 1) return NULL;
        keys->script_key[i] = (unsigned char)byte;
    }
    fclose(pem);
    fclose(hex);
    unsigned char digest[32], *der = NULL;
    int length = i2d_PUBKEY(keys->key, &der);
    EVP_Q_digest(NULL, "SHA256", NULL, der, (size_t)length, digest, NULL);
    OPENSSL_free(der);
    write_hex(keys->key_id, digest, 8);
    unsigned char named[37] = "patchpack script key\n";
    memcpy(named + 21, keys->script_key, 16);
    EVP_Q_digest(NULL, "SHA256", NULL, named, sizeof named, digest, NULL);
    write_hex(keys->script_key_id, digest, 8);
    keys->cipher = EVP_CIPHER_fetch(NULL, "AES-128-CBC", NULL);
    keys->hmac = EVP_MAC_fetch(NULL, "HMAC", NULL);
    return keys;
}

/// IV and ciphertext, into a buffer with room for both; returns their length.
static size_t seal(floor_keys *keys, const char *label, const unsigned char *plain, size_t size, unsigned char *out) {
    unsigned char mac[32];
    size_t mac_size;
    char digest[] = "SHA256";
    OSSL_PARAM parameters[] = {OSSL_PARAM_construct_utf8_string(OSSL_MAC_PARAM_DIGEST, digest, 0), OSSL_PARAM_END};
    EVP_MAC_CTX *hmac = EVP_MAC_CTX_new(keys->hmac);
    EVP_MAC_init(hmac, keys->script_key, 16, parameters);
    EVP_MAC_update(hmac, (const unsigned char *)"patchpack iv 1\n", 15);
    EVP_MAC_update(hmac, (const unsigned char *)label, strlen(label));
    EVP_MAC_update(hmac, (const unsigned char *)"\n", 1);
    EVP_MAC_update(hmac, plain, size);
    EVP_MAC_final(hmac, mac, &mac_size, sizeof mac);
    EVP_MAC_CTX_free(hmac);
    memcpy(out, mac, IV);
    EVP_CIPHER_CTX *context = EVP_CIPHER_CTX_new();
    int written = 0, last = 0;
    EVP_EncryptInit_ex2(context, keys->cipher, keys->script_key, out, NULL);
    EVP_EncryptUpdate(context, out + IV, &written, plain, (int)size);
    EVP_EncryptFinal_ex(context, out + IV + written, &last);
    EVP_CIPHER_CTX_free(context);
    return IV + (size_t)(written + last);
}

/// Decrypts in place; returns the plaintext's length, or -1.
static int64_t open_sealed(floor_keys *keys, unsigned char *sealed, size_t size) {
    if (size < IV + BLOCK) return -1;
    EVP_CIPHER_CTX *kept = keys->decryption, *context = kept ? kept : EVP_CIPHER_CTX_new();
    int written = 0, last = 0;
    EVP_DecryptInit_ex2(context, kept ? NULL : keys->cipher, kept ? NULL : keys->script_key, sealed, NULL);
    bool is_open = EVP_DecryptUpdate(context, sealed + IV, &written, sealed + IV, (int)(size - IV)) == 1
        && EVP_DecryptFinal_ex(context, sealed + IV + written, &last) == 1;
    if (!kept) EVP_CIPHER_CTX_free(context);
    return is_open ? written + last : -1;
}

static void add(zip_t *archive, const char *name, const void *bytes, size_t size) {
    zip_int64_t index = zip_file_add(archive, name, zip_source_buffer(archive, bytes, size, 0), ZIP_FL_ENC_UTF_8);
    zip_set_file_compression(archive, (zip_uint64_t)index, ZIP_CM_STORE, 0);
    zip_file_set_dostime(archive, (zip_uint64_t)index, 0, 33, 0);
    zip_file_set_external_attributes(archive, (zip_uint64_t)index, 0, ZIP_OPSYS_UNIX, (zip_uint32_t)0100644 << 16);
}

unsigned char *floor_pack(floor_keys *keys, const char *manifest, const char *name, const unsigned char *script,
    size_t size, size_t *envelope_size) {
    unsigned char digest[16];
    char hex[33], digest_name[160], sealed_name[160];
    EVP_Q_digest(NULL, "MD5", NULL, script, size, digest, NULL);
    write_hex(hex, digest, 16);
    snprintf(digest_name, sizeof digest_name, "%s.md5", name);
    snprintf(sealed_name, sizeof sealed_name, "%s.aes", name);
    unsigned char *sealed = malloc(size + IV + BLOCK);
    size_t sealed_size = seal(keys, name, script, size, sealed);

    zip_source_t *target = zip_source_buffer_create(NULL, 0, 0, NULL);
    zip_source_keep(target);
    zip_t *archive = zip_open_from_source(target, ZIP_TRUNCATE, NULL);
    add(archive, "manifest.json", manifest, strlen(manifest));
    add(archive, digest_name, hex, 32);
    add(archive, sealed_name, sealed, sealed_size);
    if (zip_close(archive)) abort();
    free(sealed);
    zip_source_open(target);
    zip_source_seek(target, 0, SEEK_END);
    size_t zip_size = (size_t)zip_source_tell(target);
    zip_source_seek(target, 0, SEEK_SET);
    unsigned char *zip = malloc(zip_size);
    zip_source_read(target, zip, zip_size);
    zip_source_close(target);
    zip_source_free(target);

    unsigned char *envelope = malloc(zip_size + IV + BLOCK + 4096);
    size_t length = seal(keys, "envelope", zip, zip_size, envelope);
    free(zip);
    unsigned char signature[1024];
    size_t signature_size = sizeof signature;
    EVP_MD_CTX *context = EVP_MD_CTX_new();
    EVP_DigestSignInit_ex(context, NULL, keys->digest, NULL, NULL, keys->key, NULL);
    if (EVP_DigestSign(context, signature, &signature_size, envelope, length) != 1) abort();
    EVP_MD_CTX_free(context);
    length += (size_t)sprintf((char *)envelope + length, "%saes-128-cbc+md5 %s\n%s %s ", delimiter, keys->script_key_id,
        keys->algorithm, keys->key_id);
    length += (size_t)EVP_EncodeBlock(envelope + length, signature, (int)signature_size);
    envelope[length++] = '\n';
    *envelope_size = length;
    return envelope;
}

static unsigned char *member(zip_t *archive, zip_uint64_t index, size_t *size) {
    zip_stat_t stat;
    zip_file_t *file = zip_fopen_index(archive, index, 0);
    if (!file || zip_stat_index(archive, index, 0, &stat)) return NULL;
    unsigned char *bytes = malloc(stat.size + 1);
    *size = (size_t)zip_fread(file, bytes, stat.size);
    bool is_whole = *size == stat.size && zip_fread(file, bytes + stat.size, 1) == 0;
    zip_fclose(file);
    return is_whole ? bytes : NULL;
}

bool floor_verify(floor_keys *keys, unsigned char *envelope, size_t size) {
    // Envelope, delimiter, signature.
    size_t window = size < WINDOW ? size : WINDOW;
    unsigned char *start = NULL, *from = envelope + size - window;
    for (unsigned char *next = from;
         (next = memmem(next, (size_t)(envelope + size - next), delimiter, sizeof delimiter - 1)); next++)
        start = next;
    char algorithm[32], key_id[32], encoded[1400], suite[32], script_key_id[32];
    if (!start || size - (size_t)(start - envelope) > 2000) return false;
    char lines[2048];
    size_t lines_size = (size_t)(envelope + size - start);
    memcpy(lines, start, lines_size);
    lines[lines_size] = 0;
    if (sscanf(lines + sizeof delimiter - 1, "%31s %31s %31s %31s %1399s", suite, script_key_id, algorithm, key_id,
            encoded)
        != 5)
        return false;
    if (strcmp(suite, "aes-128-cbc+md5") || strcmp(script_key_id, keys->script_key_id)
        || strcmp(algorithm, keys->algorithm) || strcmp(key_id, keys->key_id))
        return false;
    unsigned char signature[1100];
    size_t encoded_size = strlen(encoded);
    int signature_size = EVP_DecodeBlock(signature, (unsigned char *)encoded, (int)encoded_size);
    while (signature_size > 0 && encoded_size && encoded[--encoded_size] == '=') signature_size--;
    if (signature_size <= 0) return false;
    EVP_MD_CTX *kept = keys->verification, *context = kept ? kept : EVP_MD_CTX_new();
    EVP_DigestVerifyInit_ex(context, NULL, kept ? NULL : keys->digest, NULL, NULL, kept ? NULL : keys->key, NULL);
    bool is_valid =
        EVP_DigestVerify(context, signature, (size_t)signature_size, envelope, (size_t)(start - envelope)) == 1;
    if (!kept) EVP_MD_CTX_free(context);
    if (!is_valid) return false;

    // The zip, and the script in it.
    int64_t zip_size = open_sealed(keys, envelope, (size_t)(start - envelope));
    if (zip_size < 0) return false;
    zip_source_t *source = zip_source_buffer_create(envelope + IV, (zip_uint64_t)zip_size, 0, NULL);
    zip_t *archive = zip_open_from_source(source, ZIP_RDONLY | ZIP_CHECKCONS, NULL);
    if (!archive || zip_get_num_entries(archive, 0) != 3 || strcmp(zip_get_name(archive, 0, 0), "manifest.json"))
        return false;
    size_t manifest_size, digest_size, sealed_size;
    unsigned char *manifest = member(archive, 0, &manifest_size), *hex = member(archive, 1, &digest_size);
    unsigned char *sealed = member(archive, 2, &sealed_size);
    zip_discard(archive);
    int64_t script_size = sealed ? open_sealed(keys, sealed, sealed_size) : -1;
    bool is_whole = false;
    if (manifest && hex && script_size >= 0 && digest_size == 32) {
        unsigned char digest[16];
        char expected[33];
        if (keys->md5) {
            EVP_DigestInit_ex2(keys->fingerprint, keys->md5, NULL);
            EVP_DigestUpdate(keys->fingerprint, sealed + IV, (size_t)script_size);
            EVP_DigestFinal_ex(keys->fingerprint, digest, NULL);
        } else {
            EVP_Q_digest(NULL, "MD5", NULL, sealed + IV, (size_t)script_size, digest, NULL);
        }
        write_hex(expected, digest, 16);
        is_whole = memcmp(expected, hex, 32) == 0;
    }
    free(manifest);
    free(hex);
    free(sealed);
    return is_whole;
}
