import { generateKeyPairSync, sign } from 'node:crypto';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';

export interface Cluster {
  url: string;
  /** of the account `default/tap` */
  token: string;
  /** the tokens that were asked about */
  reviewed: string[];
  stop(): void;
}

const uid = '5a1f0b5e-0000-4000-8000-000000000001';
const encoded = (part: object) => Buffer.from(JSON.stringify(part)).toString('base64url');

/** A token as a cluster gives one to what runs in it. */
function accountToken(): string {
  const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
  const now = Math.floor(Date.now() / 1000);
  const claims = {
    iss: 'https://kubernetes.default.svc',
    sub: 'system:serviceaccount:default:tap',
    aud: ['vault'],
    iat: now,
    nbf: now,
    exp: now + 3600,
    'kubernetes.io': { namespace: 'default', serviceaccount: { name: 'tap', uid } },
  };
  const signed = `${encoded({ alg: 'RS256', typ: 'JWT' })}.${encoded(claims)}`;
  return `${signed}.${sign('RSA-SHA256', Buffer.from(signed), privateKey).toString('base64url')}`;
}

/** As much of the API of a Kubernetes cluster as a vault asks for: whose token it was shown. */
export async function startCluster(): Promise<Cluster> {
  const token = accountToken();
  const reviewed: string[] = [];
  const server = createServer(async (request, response) => {
    const review = JSON.parse(await text(request));
    reviewed.push(review.spec.token);
    const user = { username: 'system:serviceaccount:default:tap', uid, groups: ['system:serviceaccounts'] };
    const { audiences } = review.spec;
    const status = review.spec.token === token ? { authenticated: true, user, audiences } : { authenticated: false };
    response.writeHead(201, { 'content-type': 'application/json' }).end(JSON.stringify({ ...review, status }));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    token,
    reviewed,
    stop: () => void server.close(),
  };
}
