"""An object store for tests: moto's server, one request at a time, because two at once could both find no object.

    s3.py PORT PUBLIC-PORT BUCKET

Prints the id and the secret of an account, and "ready". Each request to PORT must be signed, and the signature is checked. Devices read
from PUBLIC-PORT.
"""

import json
import os
import sys
import threading

port, public, bucket = int(sys.argv[1]), int(sys.argv[2]), sys.argv[3]
# The number of initial requests that are not checked, because they make the bucket and the account.
os.environ["INITIAL_NO_AUTH_ACTION_COUNT"] = "4"

import boto3  # noqa: E402
from moto.core import DEFAULT_ACCOUNT_ID  # noqa: E402
from moto.s3.models import s3_backends  # noqa: E402
from moto.server import DomainDispatcherApplication, create_backend_app  # noqa: E402
from werkzeug.serving import make_server  # noqa: E402

server = make_server("127.0.0.1", port, DomainDispatcherApplication(create_backend_app), threaded=False)
threading.Thread(target=server.serve_forever, daemon=True).start()


def read(environ, start_response):
    found = s3_backends[DEFAULT_ACCOUNT_ID]["aws"].get_object(bucket, environ["PATH_INFO"].lstrip("/"))
    start_response("404 Not Found" if found is None else "200 OK", [("Content-Type", "application/octet-stream")])
    return [b"" if found is None else found.value]


threading.Thread(target=make_server("127.0.0.1", public, read).serve_forever, daemon=True).start()


def policy(actions):
    return json.dumps({"Version": "2012-10-17", "Statement": [{"Effect": "Allow", "Resource": "*", "Action": actions}]})


options = dict(endpoint_url=f"http://127.0.0.1:{port}", region_name="us-east-1", aws_access_key_id="any", aws_secret_access_key="any")
boto3.client("s3", **options).create_bucket(Bucket=bucket)
iam = boto3.client("iam", **options)
iam.create_user(UserName="release")
iam.put_user_policy(UserName="release", PolicyName="feed", PolicyDocument=policy(["s3:GetObject", "s3:PutObject", "s3:ListBucket"]))
key = iam.create_access_key(UserName="release")["AccessKey"]
print(key["AccessKeyId"], key["SecretAccessKey"], flush=True)
print("ready", flush=True)
threading.Event().wait()
