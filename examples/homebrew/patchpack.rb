# A formula for Homebrew, to be copied into a tap. `url` and `sha256` are of a release's source; the hash is in its SHA256SUMS.
class Patchpack < Formula
  desc "Pack, verify and deliver signed Lua patches"
  homepage "https://example.com/patchpack"
  url "https://example.com/patchpack/releases/download/1.0.0/patchpack-1.0.0.tar.xz"
  sha256 "0000000000000000000000000000000000000000000000000000000000000000"
  license "MIT"

  depends_on "lowdown" => :build
  depends_on "pkgconf" => :build
  depends_on xcode: ["26.0", :build]
  depends_on "curl"
  depends_on "libzip"
  depends_on "lua"
  depends_on "openssl@3"
  depends_on "zstd"

  def install
    ENV["NO_DEPS"] = "1"
    system "make", "install", "PREFIX=#{prefix}", "RELEASE_FLAGS=-c release --disable-sandbox"
  end

  test do
    assert_match version.to_s, shell_output("#{bin}/patchpack --version")
    system bin/"patchpack", "init", testpath/"project", "--app", "com.example.shop"
  end
end
