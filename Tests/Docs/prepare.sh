# usage: prepare.sh ROOT DOCUMENT
#
# The files that the documents assume: keys, patches, envelopes, a feed and events. SHOP is the example app.
root=$1
# Getting started begins with only a checkout, and the page of a service with nothing.
case $2 in
getting-started.md)
  ln -s "$root" patchpack
  exit
  ;;
server.md) exit ;;
esac
patchpack keygen -o keys --profile modern -q
for name in root release online; do patchpack keygen -o "keys/$name" --profile modern --signing-only -q; done
cp keys/trusted.pem keys/script.key .
# The scripts of the examples, and one with a fault.
ln -s "$root/examples"
mkdir patches specs
printf '%s\n' '-- @patch com.example.shop.cart' '-- @version 1' '-- @app com.example.shop *' '-- @replaces Cart.totl' \
  'patch.replace("Cart.totl", function(original, price, quantity)' '  return original(price, quantity)' 'end)' >patches/cart.lua
"$SHOP" --interface >interface.json
pack=(patchpack pack --no-lint -q --signing-key keys/signing.pem --script-key keys/script.key)
"${pack[@]}" examples/patches/cart-total.lua examples/patches/receipt-greeting.lua -o dist
"${pack[@]}" examples/patches/cart-total.lua --version 6 -o old
cp dist/cart-total.js cart.js
sed 's/$/\r/' cart.js >patch.js
openssl genpkey -algorithm ed25519 -out room.pem
openssl pkey -in room.pem -pubout -out room-public.pem
chmod 600 room.pem
git init -q -b main .
git -c user.name=a -c user.email=a@example.com commit -q --allow-empty -m a
git checkout -q -b change
git add cart.js
git -c user.name=a -c user.email=a@example.com commit -q -m b
mkdir events
sed 's/^ *//' "$root/docs/events.md" | sed -n '/^```json$/,/^```$/p' | grep -v '^```' | tr -d '\n' >events/a.jsonl
echo >>events/a.jsonl
sed 's/receipt-greeting/cart-total/g; s/"patch.version":1/"patch.version":3/' events/a.jsonl >events/b.jsonl
gzip -c events/a.jsonl >2026-11-01.gz
patchpack feed init feed --app com.example.shop --root-key keys/root/signing.pem \
  --release-key keys/release/signing.pem --online-key keys/online/signing.pem -q
patchpack feed publish feed dist/*.js --rollout 100% --key keys/release/signing.pem --key keys/online/signing.pem \
  --trusted-key keys/trusted.pem --script-key keys/script.key -q
