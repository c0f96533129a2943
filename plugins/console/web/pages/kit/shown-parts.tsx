import { Chart, type Column, Diff, Elapsed, liveState, Table, useApi, user, When, t } from '@tapline/console-kit';
import { Part } from './part.tsx';

interface Host {
  name: string;
  seen: string;
}

const columns: readonly Column<Host>[] = [
  { label: t`Name`, heading: true, cell: ({ name }) => name },
  { label: t`Seen`, narrow: true, cell: ({ seen }) => <When at={seen} /> },
];
const hosts = ['web1', 'web2'].map((name) => ({ name, seen: '2026-01-05T03:00:00Z' }));
const before = 'port: 80\nworkers: 4\nlog: info';
const after = 'port: 443\nworkers: 4\nlog: info\ntls: true';

export const ShownParts = () => (
  <>
    <Part name={t`Table`}>
      <Table caption={t`Hosts`} columns={columns} rows={hosts} rowKey={({ name }) => name} />
    </Part>
    <Part name={t`Chart`}>
      <Chart
        caption={t`Runs by day`}
        points={[t`Monday`, t`Tuesday`, t`Wednesday`].map((label, i) => ({ label, value: [1200, 450, 0][i]! }))}
      />
    </Part>
    <Part name={t`Diff`}>
      <Diff label={t`What changed`} before={before} after={after} />
    </Part>
    <Part name={t`Time`}>
      <p>
        {t`It took`} <Elapsed started="2026-01-05T03:00:00Z" finished="2026-01-05T03:02:10Z" elapsed={130} />
      </p>
    </Part>
    <Part name={t`Capabilities and live`}>
      <Capabilities />
    </Part>
  </>
);

/** What the API says of somebody's own record. */
function Capabilities() {
  const { data, may } = useApi(`users/${user.value?.id}/`);
  if (!data.value) return null;
  return (
    <p>
      {may('edit')
        ? t`${data.value.username} may change this account; live updates are ${liveState.value}.`
        : t`${data.value.username} may not change this account; live updates are ${liveState.value}.`}
    </p>
  );
}
