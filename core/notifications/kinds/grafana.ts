import type { NotificationKind } from '@tapline/plugin-sdk';
import { withoutEndingSlashes } from '../../outbound/addresses.ts';
import { asJson, postJson, told } from './http.ts';

/** An annotation over the time that the run took: https://grafana.com/docs/grafana/latest/developers/http_api/annotations/ */
export const grafana: NotificationKind = {
  kind: 'grafana',
  label: 'Grafana',
  bodies: 'data',
  recipients: 'grafana_url',
  fields: {
    grafana_url: { label: 'Grafana URL', type: 'string' },
    grafana_key: { label: 'Grafana API Key', type: 'password' },
    dashboardId: { label: 'Dashboard', type: 'string', optional: true },
    panelId: { label: 'Panel', type: 'string', optional: true },
    annotation_tags: { label: 'Tags', type: 'list', optional: true },
    grafana_no_verify_ssl: { label: 'Disable SSL Verification', type: 'bool', optional: true },
  },
  check: ({ dashboardId, panelId }) =>
    Object.entries({ dashboardId, panelId }).flatMap(([name, value]) =>
      value === undefined || /^\d*$/.test(String(value)) ? [] : [`${name} must be a number.`],
    ),
  async send({ configuration, subject, body }, tools) {
    const { grafana_url: base, grafana_key: key, dashboardId, panelId, annotation_tags: tags } = configuration;
    const run = asJson(body) as { started?: unknown; finished?: unknown } | string | null;
    const [time, timeEnd] = typeof run === 'object' ? [msOf(run?.started), msOf(run?.finished)] : [];
    const annotation = {
      ...(time && { time, timeEnd: timeEnd ?? time }),
      isRegion: true,
      ...(Boolean(dashboardId) && { dashboardId: Number(dashboardId) }),
      ...(Boolean(panelId) && { panelId: Number(panelId) }),
      ...((tags as string[] | undefined)?.length && { tags }),
      text: subject,
    };
    const url = `${withoutEndingSlashes(String(base))}/api/annotations`;
    const headers = { authorization: `Bearer ${String(key)}` };
    const verifyTls = !configuration['grafana_no_verify_ssl'];
    return { answer: told(await postJson(tools, url, annotation, { headers, verifyTls })) };
  },
};

const msOf = (text: unknown): number | undefined =>
  typeof text === 'string' && !Number.isNaN(Date.parse(text)) ? Date.parse(text) : undefined;
