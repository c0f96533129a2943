import { useSignal } from '@preact/signals';
import {
  attempt,
  type Column,
  Dialog,
  Failure,
  Loading,
  Notice,
  type Page,
  post,
  Table,
  useQuery,
  user,
  t,
} from '@tapline/console-kit';
import type { Plugin } from '../../api/plugins.ts';
import { NextStart } from './next-start.tsx';

export interface Switch {
  name: string;
  kind: string;
  version: string;
  description: string;
  /** on this node by now, and at its next start */
  on: boolean;
  enabled: boolean;
  optional: boolean;
  source: string;
  restart: boolean;
  node: string;
  other_nodes: string[];
}

type Turn = (one: Switch, enabled: boolean) => void;

/** Every plugin that there is, on or not; for superusers with a switch. */
export function Switches({ plugins }: { plugins: readonly Plugin[] }) {
  const { data, error, reload } = useQuery<Page<Switch>>('plugin_switches/?page_size=200');
  const asked = useSignal<Switch | null>(null);
  const send = async (one: Switch, enabled: boolean): Promise<void> => {
    const { name, optional } = one;
    const said = enabled ? t`${name} is on from the next start on.` : t`${name} is off from the next start on.`;
    const undo = () => send(one, !enabled);
    const body = { name, enabled, optional };
    if (await attempt(() => post('plugin_switches/', body), { said, whose: name, undo })) await reload();
  };
  const turn: Turn = (one, enabled) => (enabled ? void send(one, true) : void (asked.value = one));
  const rows = data.value?.results;
  const given = rows?.some(({ source }) => source === 'TAPLINE_PLUGINS');
  return (
    <section aria-labelledby="switches-title">
      <h2 id="switches-title">{t`Switch on and off`}</h2>
      {error.value && <Failure error={error.value} what={t`list of what could be on`} again={reload} />}
      {!rows && !error.value && <Loading what={t`what could be on`} />}
      {given && (
        <Notice tone="info">{t`Which plugins are on stands in TAPLINE_PLUGINS, in the environment of the service: change it there.`}</Notice>
      )}
      {rows && <NextStart rows={rows} />}
      {rows && (
        <Table
          caption={t`Plugins that there are`}
          columns={columns(user.value?.is_superuser && !given ? turn : null)}
          rows={rows}
          rowKey={({ name }) => name}
        />
      )}
      {asked.value && (
        <OffDialog
          one={asked.value}
          plugin={plugins.find(({ id }) => id === asked.value!.name)}
          onOff={() => send(asked.value!, false)}
          onClose={() => void (asked.value = null)}
        />
      )}
    </section>
  );
}

const state = (on: boolean) => (on ? t`On` : <span class="muted">{t`Off`}</span>);

const columns = (turn: Turn | null): Column<Switch>[] => [
  {
    label: t`Plugin`,
    heading: true,
    cell: ({ name, description }) => (
      <>
        {name}
        <span class="muted sub">{description}</span>
      </>
    ),
  },
  { label: t`Version`, narrow: true, cell: ({ version }) => version },
  { label: t`Now`, narrow: true, cell: ({ on }) => state(on) },
  { label: t`At the next start`, narrow: true, cell: ({ enabled }) => state(enabled) },
  ...(turn
    ? [
        {
          label: t`Action`,
          narrow: true,
          cell: (one: Switch) => (
            <button type="button" onClick={() => turn(one, !one.enabled)}>
              {one.enabled ? t`Switch off` : t`Switch on`}
              <span class="visually-hidden"> {one.name}</span>
            </button>
          ),
        },
      ]
    : []),
];

interface OffProps {
  one: Switch;
  plugin: Plugin | undefined;
  onOff: () => Promise<void>;
  onClose: () => void;
}

function OffDialog({ one: { name }, plugin, onOff, onClose }: OffProps) {
  const kinds = Object.entries(plugin?.contributions ?? {});
  return (
    <Dialog title={t`Switch ${name} off?`} onClose={onClose}>
      {kinds.length > 0 && <p>{t`From the next start on, all that it brings is gone:`}</p>}
      <ul>
        {kinds.map(([kind, { names }]) => (
          <li key={kind}>
            {kind}: {names.slice(0, 8).join(', ')}
            {names.length > 8 && ' …'}
          </li>
        ))}
      </ul>
      {name === 'console' && (
        <Notice tone="warn">{t`This page is one of them. On the machine, “tapline plugins enable console” brings it back.`}</Notice>
      )}
      <p>{t`Its data stays, and its tasks wait until it is back.`}</p>
      <div class="form-actions">
        <button type="button" onClick={onClose}>{t`Keep it on`}</button>
        <button type="button" class="danger" onClick={() => void onOff().then(onClose)}>{t`Switch off`}</button>
      </div>
    </Dialog>
  );
}
