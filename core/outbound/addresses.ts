import { lookup as resolve, type LookupAddress } from 'node:dns';
import type { LookupFunction } from 'node:net';
import { OutboundError } from '@tapline/plugin-sdk';
import ipaddr from 'ipaddr.js';

/** An address that everybody on the internet may be sent to: not loopback, private, link-local, mapped or reserved. */
export function isPublic(address: string): boolean {
  return ipaddr.isValid(address) && ipaddr.process(address).range() === 'unicast';
}

export const isLoopback = (address: string): boolean =>
  ipaddr.isValid(address) && ipaddr.process(address).range() === 'loopback';

/** @param networks CIDR ranges or single addresses */
export function isWithin(address: string, networks: readonly string[]): boolean {
  if (!ipaddr.isValid(address)) return false;
  const candidate = ipaddr.process(address);
  return networks.some((network) => {
    const range = rangeOf(network);
    return range !== undefined && candidate.kind() === range[0].kind() && candidate.match(range as never);
  });
}

type Range = [ipaddr.IPv4 | ipaddr.IPv6, number];

function rangeOf(network: string): Range | undefined {
  if (ipaddr.isValidCIDR(network)) return ipaddr.parseCIDR(network);
  if (!ipaddr.isValid(network)) return undefined;
  const address = ipaddr.process(network);
  return [address, address.kind() === 'ipv4' ? 32 : 128];
}

/** Who is counted as one: an address, but for IPv6 the network that one household or machine is given. */
export function networkOf(address: string): string {
  if (!ipaddr.isValid(address)) return address;
  const parsed = ipaddr.process(address);
  return parsed instanceof ipaddr.IPv6 ? parsed.parts.slice(0, 4).join(':') : parsed.toString();
}

/** What is wrong with an entry of OUTBOUND_ALLOWED_NETWORKS. */
export const networkProblem = (network: string): string | undefined =>
  rangeOf(network) ? undefined : `"${network}" is no IP address and no network like 10.0.0.0/8.`;

/** A host as an administrator names it: `git.example.org`, `git.example.org:8443`; with `http://` where it has no TLS. */
function originOf(host: string): string | undefined {
  const address = /^https?:\/\//.test(host) ? host : `https://${host}`;
  if (!URL.canParse(address)) return undefined;
  const url = new URL(address);
  return url.href === `${url.origin}/` ? url.origin : undefined;
}

/** What is wrong with an entry of WEBHOOK_STATUS_HOSTS and VAULT_KUBERNETES_HOSTS. */
export const hostProblem = (host: string): string | undefined =>
  originOf(host) ? undefined : `"${host}" is no host like git.example.org or git.example.org:8443.`;

/** @param hosts as `hostProblem` lets them through */
export const isOnHosts = (address: string, hosts: readonly string[]): boolean =>
  URL.canParse(address) && hosts.some((host) => originOf(host) === new URL(address).origin);

/** @throws OutboundError naming the setting that opens the network */
export function assertReachable(host: string, address: string, allowed: readonly string[]): void {
  if (isPublic(address) || isWithin(address, allowed)) return;
  const resolved = host === address ? address : `${host} (${address})`;
  throw new OutboundError(
    `The address ${resolved} is not on the public internet. An administrator can open its network with the setting OUTBOUND_ALLOWED_NETWORKS.`,
  );
}

/** A host as sockets want it: URL puts IPv6 addresses into brackets. */
export const bare = (hostname: string): string => hostname.replace(/^\[|\]$/g, '');

/** Resolves a name and refuses it when any of its addresses is out of bounds: which one is taken is not ours to say. */
export const judgedLookup =
  (allowed: () => readonly string[]): LookupFunction =>
  (hostname, options, callback) => {
    resolve(hostname, { ...options, all: true }, (error, addresses: LookupAddress[]) => {
      if (error) return callback(error, '', 0);
      try {
        for (const { address } of addresses) assertReachable(hostname, address, allowed());
      } catch (refusal) {
        return callback(refusal as NodeJS.ErrnoException, '', 0);
      }
      if (options.all) return callback(null, addresses);
      callback(null, addresses[0]?.address ?? '', addresses[0]?.family);
    });
  };

export function withoutEndingSlashes(address: string): string {
  let end = address.length;
  while (end > 0 && address[end - 1] === '/') end -= 1;
  return address.slice(0, end);
}
