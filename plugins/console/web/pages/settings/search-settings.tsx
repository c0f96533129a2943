import { useSignal } from '@preact/signals';
import { type Column, go, place, shown, Table, useOptions, useQuery, t } from '@tapline/console-kit';
import { originWords } from './setting-field.tsx';
import type { SettingOption } from './setting-values.ts';

const most = 50;

interface Found {
  name: string;
  option: SettingOption;
  value: unknown;
}

/** Searches all settings by name, label and help, and says where each value comes from. */
export function SearchSettings() {
  const { query } = place.value;
  const sought = query.get('search') ?? '';
  const typed = useSignal(sought);
  return (
    <>
      <form
        role="search"
        class="search"
        onSubmit={(event) => {
          event.preventDefault();
          go(typed.value.trim() ? `/settings?search=${encodeURIComponent(typed.value.trim())}` : '/settings');
        }}
      >
        <input
          type="search"
          aria-label={t`Search all settings`}
          placeholder={t`Search all settings`}
          value={typed.value}
          onInput={(event) => void (typed.value = event.currentTarget.value)}
        />
        <button type="submit">{t`Search`}</button>
      </form>
      {sought && <Results sought={sought} />}
    </>
  );
}

type Fields = Record<string, SettingOption>;

function Results({ sought }: { sought: string }) {
  const values = useQuery<Record<string, unknown>>('settings/all/');
  const options = useOptions('settings/all/');
  const words = { what: t`settings`, loading: t`settings` };
  return shown(values, words, (found) =>
    shown(options, words, ({ actions }) => <Fitting sought={sought} fields={actions.GET as Fields} values={found} />),
  );
}

function Fitting({ sought, fields, values }: { sought: string; fields: Fields; values: Record<string, unknown> }) {
  const words = sought.toLowerCase().split(/\s+/);
  const found = Object.entries(fields)
    .map(([name, option]): Found => ({ name, option, value: values[name] }))
    .filter(({ name, option }) => {
      const text = `${name} ${option.label} ${option.help_text ?? ''}`.toLowerCase();
      return words.every((word) => text.includes(word));
    });
  if (!found.length) return <p class="empty">{t`No setting fits.`}</p>;
  return (
    <>
      <p class="muted" role="status">
        {found.length === 1 ? t`1 setting` : t`${found.length} settings`}
      </p>
      <Table caption={t`Settings that fit`} columns={columns} rows={found.slice(0, most)} rowKey={({ name }) => name} />
    </>
  );
}

const columns: Column<Found>[] = [
  {
    label: t`Setting`,
    heading: true,
    cell: ({ name, option }) => (
      <>
        <a href={`/settings/${option.category_slug}?setting=${name}`}>{option.label}</a>
        <span class="muted sub">{option.help_text}</span>
      </>
    ),
  },
  { label: t`Category`, narrow: true, cell: ({ option }) => option.category },
  { label: t`Value`, cell: ({ value }) => <span class="clipped">{JSON.stringify(value)}</span> },
  { label: t`From`, narrow: true, cell: ({ option }) => originWords[option.origin ?? ''] ?? option.origin },
];
