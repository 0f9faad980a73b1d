<?php
// Packs or verifies many envelopes with PHP's openssl and zip, for `make bench` to hold patchpack against. JSPatch's own packer
// is in PHP.
//
// usage: envelopes.php pack SIGNING.pem SCRIPT.key FOLDER SCRIPT.lua...
//        envelopes.php verify PUBLIC.pem SCRIPT.key ENVELOPE.js...
const DELIMITER = "\n--patchpack-envelope-1 ";

function key_id($key) {
    $pem = openssl_pkey_get_details($key)["key"];
    $der = base64_decode(implode("", array_slice(explode("\n", trim($pem)), 1, -1)));
    return substr(hash("sha256", $der), 0, 16);
}

function seal($key, $label, $plain) {
    $iv = substr(hash_hmac("sha256", "patchpack iv 1\n$label\n$plain", $key, true), 0, 16);
    return $iv . openssl_encrypt($plain, "aes-128-cbc", $key, OPENSSL_RAW_DATA, $iv);
}

function open_sealed($key, $sealed) {
    return openssl_decrypt(substr($sealed, 16), "aes-128-cbc", $key, OPENSSL_RAW_DATA, substr($sealed, 0, 16));
}

function pack_script($private, $key, $folder, $path) {
    $script = file_get_contents($path);
    $name = basename($path);
    preg_match_all('/^-- @(\w+) +(.*)$/m', $script, $found);
    $tags = array_combine($found[1], $found[2]);
    $manifest = json_encode([
        "app" => $tags["app"], "appVersions" => "*", "engine" => 1, "id" => $tags["patch"], "replaces" => [$tags["replaces"]],
        "schema" => 1, "scripts" => [["name" => $name, "size" => strlen($script)]], "version" => (int)$tags["version"],
    ]);
    $file = tempnam("/dev/shm", "zip");
    $zip = new ZipArchive();
    $zip->open($file, ZipArchive::OVERWRITE);
    foreach (["manifest.json" => $manifest, "$name.md5" => md5($script), "$name.aes" => seal($key, $name, $script)] as $member => $bytes) {
        $zip->addFromString($member, $bytes);
        $zip->setCompressionName($member, ZipArchive::CM_STORE);
    }
    $zip->close();
    $payload = seal($key, "envelope", file_get_contents($file));
    unlink($file);
    openssl_sign($payload, $signature, $private, OPENSSL_ALGO_SHA1);
    $id = substr(hash("sha256", "patchpack script key\n$key"), 0, 16);
    $lines = "aes-128-cbc+md5 $id\nrsa-sha1 " . key_id($private) . " " . base64_encode($signature) . "\n";
    file_put_contents("$folder/" . basename($name, ".lua") . ".js", $payload . DELIMITER . $lines);
}

function verify($public, $key, $path) {
    $envelope = file_get_contents($path);
    $cut = strrpos($envelope, DELIMITER);
    $payload = substr($envelope, 0, $cut);
    $words = preg_split('/\s+/', substr($envelope, $cut + strlen(DELIMITER)));
    if ($words[3] !== key_id($public) || openssl_verify($payload, base64_decode($words[4]), $public, OPENSSL_ALGO_SHA1) !== 1) exit(20);
    $file = tempnam("/dev/shm", "zip");
    file_put_contents($file, open_sealed($key, $payload));
    $zip = new ZipArchive();
    $zip->open($file);
    foreach (json_decode($zip->getFromName("manifest.json"))->scripts as $script) {
        $text = open_sealed($key, $zip->getFromName("$script->name.aes"));
        if (md5($text) !== $zip->getFromName("$script->name.md5")) exit(20);
    }
    $zip->close();
    unlink($file);
}

[, $action, $pem, $script_key] = $argv;
$key = hex2bin(trim(file_get_contents($script_key)));
if ($action === "pack") {
    $private = openssl_pkey_get_private(file_get_contents($pem));
    foreach (array_slice($argv, 5) as $path) pack_script($private, $key, $argv[4], $path);
} else {
    $public = openssl_pkey_get_public(file_get_contents($pem));
    foreach (array_slice($argv, 4) as $path) verify($public, $key, $path);
}
