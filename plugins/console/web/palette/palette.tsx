import { useSignal } from '@preact/signals';
import { useEffect, useId, useRef } from 'preact/hooks';
import { Dialog, t } from '@tapline/console-kit';
import { actions, pages } from './entries.ts';
import { type Entry, fits } from './entry.ts';
import { useFound } from './use-found.ts';
import './palette.css';

const groups = { pages: t`Pages`, actions: t`Actions`, found: t`Found` };

/** Goes anywhere and does things by typing: a combobox whose list stays open. */
export function Palette({ onClose }: { onClose: () => void }) {
  const typed = useSignal('');
  const active = useSignal(0);
  const id = useId();
  const { found, busy } = useFound(typed.value);
  const text = typed.value.trim();
  const known = [...pages(), ...(text ? actions() : [])].filter(({ label }) => fits(label, text));
  const entries = [...known, ...found];
  const at = Math.min(active.value, entries.length - 1);
  const take = (entry: Entry | undefined) => {
    if (!entry) return;
    onClose();
    // once the dialog has given the focus back
    setTimeout(entry.act);
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step) active.value = (at + step + entries.length) % Math.max(1, entries.length);
    else if (event.key === 'Enter') take(entries[at]);
    else return;
    event.preventDefault();
  };
  return (
    <Dialog title={t`Go to, find, do`} onClose={onClose}>
      <input
        class="palette-input"
        type="text"
        role="combobox"
        aria-label={t`Page, name, number of a run, or action`}
        aria-expanded={entries.length > 0}
        aria-controls={`${id}-list`}
        aria-autocomplete="list"
        aria-activedescendant={at >= 0 ? `${id}-${at}` : undefined}
        autocomplete="off"
        spellcheck={false}
        value={typed.value}
        onInput={({ currentTarget }) => {
          typed.value = currentTarget.value;
          active.value = 0;
        }}
        onKeyDown={onKeyDown}
      />
      <Lines id={id} entries={entries} at={at} take={take} />
      <p class="hint" role="status">
        {busy ? t`Searching …` : entries.length === 0 && t`Nothing fits.`}
      </p>
    </Dialog>
  );
}

interface LinesProps {
  id: string;
  entries: readonly Entry[];
  at: number;
  take: (entry: Entry) => void;
}

const Lines = ({ id, entries, at, take }: LinesProps) => (
  <div class="palette-list" id={`${id}-list`} role="listbox" aria-label={t`What fits`} hidden={!entries.length}>
    {Object.entries(groups).map(([group, label]) => {
      const of = entries.filter((entry) => entry.group === group);
      return of.length === 0 ? null : (
        <div key={group} role="group" aria-label={label}>
          <p class="palette-group" aria-hidden="true">
            {label}
          </p>
          {of.map((entry) => {
            const place = entries.indexOf(entry);
            return <Line key={entry.id} id={`${id}-${place}`} entry={entry} active={place === at} take={take} />;
          })}
        </div>
      );
    })}
  </div>
);

interface LineProps {
  id: string;
  entry: Entry;
  active: boolean;
  take: (entry: Entry) => void;
}

function Line({ id, entry, active, take }: LineProps) {
  const line = useRef<HTMLDivElement>(null);
  useEffect(() => void (active && line.current?.scrollIntoView({ block: 'nearest' })), [active]);
  return (
    <div ref={line} id={id} class="palette-line" role="option" aria-selected={active} onClick={() => take(entry)}>
      <bdi>{entry.label}</bdi>
      {entry.kind && <span class="muted">{entry.kind}</span>}
    </div>
  );
}
