import type { PluginApi } from '@tapline/plugin-sdk';

export function defineSettings({ settings }: Pick<PluginApi, 'settings'>): void {
  const count = (key: string, value: number, [min, max]: [number, number], unit: string, help: string) =>
    settings.define({ key, category: 'outbound-webhooks', type: 'integer', default: value, min, max, unit, help });
  count(
    'OUTBOUND_WEBHOOK_PARALLEL',
    4,
    [1, 100],
    'requests',
    'How many deliveries of one outbound webhook are under way at once, in the whole cluster.',
  );
  count(
    'OUTBOUND_WEBHOOK_DISABLE_DAYS',
    5,
    [0, 365],
    'days',
    'An outbound webhook of which every delivery failed for so long is disabled. 0 never disables one.',
  );
  count(
    'OUTBOUND_WEBHOOK_KEY_OVERLAP_HOURS',
    24,
    [0, 720],
    'hours',
    'How long requests are signed with the former key as well after a key was replaced.',
  );
  count(
    'OUTBOUND_WEBHOOK_RETENTION_DAYS',
    30,
    [1, 3650],
    'days',
    'Deliveries older than this are deleted each day; those that are still tried are kept.',
  );
}
