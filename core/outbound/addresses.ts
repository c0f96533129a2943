import { OutboundError } from '@tapline/plugin-sdk';
import ipaddr from 'ipaddr.js';

/** An address that everybody on the internet may be sent to: not loopback, private, link-local, mapped or reserved. */
export function isPublic(address: string): boolean {
  return ipaddr.isValid(address) && ipaddr.process(address).range() === 'unicast';
}

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

/** What is wrong with an entry of OUTBOUND_ALLOWED_NETWORKS. */
export const networkProblem = (network: string): string | undefined =>
  rangeOf(network) ? undefined : `"${network}" is no IP address and no network like 10.0.0.0/8.`;

/** @throws OutboundError naming the setting that opens the network */
export function assertReachable(host: string, address: string, allowed: readonly string[]): void {
  if (isPublic(address) || isWithin(address, allowed)) return;
  const resolved = host === address ? address : `${host} (${address})`;
  throw new OutboundError(
    `The address ${resolved} is not on the public internet. An administrator can open its network with the setting OUTBOUND_ALLOWED_NETWORKS.`,
  );
}
