import type { Deprecation } from '@tapline/plugin-sdk';

const link = (target: string, relation: string) => `<${target}>; rel="${relation}"`;

/** By which answers of a path say that it is on its way out: RFC 9745, RFC 8594, and `Warning`, which older clients read. */
export const deprecationHeaders = ({ since, sunset, successor, why }: Deprecation): Record<string, string> => ({
  Deprecation: `@${Date.parse(since) / 1000}`,
  ...(sunset && { Sunset: new Date(sunset).toUTCString() }),
  Link: [link('/api/docs/', 'deprecation'), ...(successor ? [link(successor, 'successor-version')] : [])].join(', '),
  Warning: `299 tapline "This resource is deprecated: ${why}"`,
});
