import { randomBytes } from 'node:crypto';
import { type Call, ValidationError, type WriteContext } from '@tapline/plugin-sdk';
import { sha256 } from './application.ts';

/** The plain secret of an application, for the one answer that shows it. */
const issued = new WeakMap<Call, string>();
export const issuedSecret = (call: Call) => issued.get(call);

export function checkApplication({ call, input, before }: WriteContext): void {
  const after = { ...before, ...input };
  const uris = String(after.redirect_uris ?? '')
    .split(/\s+/)
    .filter(Boolean);
  const problem = uris.map(uriProblem).find(Boolean);
  if (problem) throw ValidationError.field('redirect_uris', problem);
  if (!uris.length && after.authorization_grant_type === 'authorization-code')
    throw ValidationError.field('redirect_uris', 'The grant type authorization-code needs at least one address.');
  if (input.redirect_uris !== undefined) input.redirect_uris = uris.join(' ');
  if (!before) input.client_id = newText(40);
  if (after.client_type === 'public') {
    input.client_secret_hash = null;
  } else if (!before?.client_secret_hash) {
    const secret = newText(128);
    issued.set(call, secret);
    input.client_secret_hash = sha256(secret);
  }
}

const newText = (length: number) => randomBytes(length).toString('base64url').slice(0, length);

/** What browsers would run or open from disk instead of going there. */
const unfit = new Set(['javascript:', 'data:', 'vbscript:', 'file:', 'blob:', 'about:', 'ws:', 'wss:']);

function uriProblem(text: string): string | undefined {
  const url = URL.parse(text);
  const own = url && !/^https?:$/.test(url.protocol);
  if (!url || /[\x00-\x20\x7f\\]/.test(text) || unfit.has(url.protocol))
    return `${text.slice(0, 200)} is not a valid redirect address.`;
  // RFC 8252 §7.1: an application's own scheme is named after a domain, so that nobody else claims it by chance
  if (own && !url.protocol.includes('.'))
    return `The scheme of ${text.slice(0, 200)} must be https, http, or a reversed domain name such as org.example.app.`;
  if (text.includes('#') || url.username || url.password)
    return `${text.slice(0, 200)} must have no fragment, user name or password.`;
  return undefined;
}
