export const categories = ['packages', 'services', 'users_groups', 'network', 'mounts', 'kernel', 'other'] as const;
/** Ascending. */
export const severities = ['low', 'medium', 'high', 'critical'] as const;

export type Category = (typeof categories)[number];
export type Severity = (typeof severities)[number];

export interface Class {
  category: Category;
  severity: Severity;
}

interface Matched extends Class {
  named?: readonly string[];
  beginning?: readonly string[];
  containing?: readonly string[];
}

/** The specification's table; names are without the engine's prefix, and the first that matches counts. */
const table: readonly Matched[] = [
  { category: 'packages', severity: 'medium', named: ['packages', 'pkg_mgr'], containing: ['package', 'pip'] },
  { category: 'services', severity: 'medium', named: ['services', 'service_mgr'], containing: ['systemd'] },
  { category: 'users_groups', severity: 'high', beginning: ['user', 'passwd'], containing: ['group'] },
  {
    category: 'network',
    severity: 'high',
    named: ['all_ipv4_addresses', 'all_ipv6_addresses', 'interfaces'],
    containing: ['tcp', 'port'],
  },
  { category: 'mounts', severity: 'medium', named: ['mounts', 'devices'], containing: ['disk', 'lvm'] },
  { category: 'kernel', severity: 'critical', beginning: ['kernel', 'sysctl', 'selinux'] },
];

const volatile = new Set(['date_time', 'uptime_seconds', 'local', 'module_setup', 'gather_subset']);

const prefix = 'ansible_';

/** `ansible_kernel` and `kernel` are one fact to whoever reads of it. */
export const plainName = (key: string): string => (key.startsWith(prefix) ? key.slice(prefix.length) : key);

/** What changes by itself and never is drift, and what somebody does not want to hear of, by the key with or without the prefix. */
export const isVolatile = (key: string, ignored: readonly string[] = []): boolean =>
  volatile.has(plainName(key)) || ignored.includes(key) || ignored.includes(plainName(key));

export function classify(key: string): Class {
  const name = plainName(key);
  const found = table.find(
    ({ named, beginning, containing }) =>
      named?.includes(name) ||
      beginning?.some((part) => name.startsWith(part)) ||
      containing?.some((part) => name.includes(part)),
  );
  return { category: found?.category ?? 'other', severity: found?.severity ?? 'low' };
}

/** What is told of a key: its class, but for severities that somebody set, by the key with or without the prefix. */
export function classified(key: string, overrides: Readonly<Record<string, string>>): Class {
  const found = classify(key);
  const severity = overrides[key] ?? overrides[plainName(key)];
  return severities.includes(severity as Severity) ? { ...found, severity: severity as Severity } : found;
}
