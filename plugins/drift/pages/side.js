import { RelationPicker, SelectField, useQuery, t } from '@tapline/console-kit';
import { useSignal } from '@preact/signals';
import { h } from 'preact';
import { useEffect } from 'preact/hooks';

/** A host, and one of its snapshots. */
export function Side({ label, value, onValue }) {
  // the address names the snapshot; of which host it is, the service knows
  const { data: found } = useQuery(value ? `fact_snapshots/?id=${value}` : null);
  const of = found.value?.results[0];
  const host = useSignal('');
  useEffect(() => {
    if (of) host.value = String(of.host);
  }, [of?.host]);
  const { data } = useQuery(host.value ? `hosts/${host.value}/fact_snapshots/?page_size=200` : null);
  const choices = (data.value?.results ?? []).map(({ id, captured_at: at, facts_hash: hash }) => ({
    value: String(id),
    label: t`${new Date(at).toISOString().replace('T', ' ').slice(0, 19)} UTC, ${hash.slice(0, 8)}`,
  }));
  const side = label.toLowerCase();
  return h(
    'div',
    null,
    h(RelationPicker, {
      label: t`${label} host`,
      name: `host_${side}`,
      list: 'hosts/',
      required: true,
      value: host.value,
      known: of && host.value === String(of.host) ? of.summary_fields.host?.name : undefined,
      onValue: (id) => {
        host.value = id;
        onValue('');
      },
    }),
    h(SelectField, {
      label: t`${label} snapshot`,
      name: `snapshot_${side}`,
      required: true,
      value,
      onValue,
      choices,
      empty: host.value ? t`Choose …` : t`Choose a host first`,
    }),
  );
}
