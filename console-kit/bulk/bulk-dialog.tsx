import { t } from '../texts/t.ts';
import { useId } from 'preact/hooks';
import { Dialog } from '../components/dialog.tsx';
import { Notice } from '../components/notice.tsx';
import { howMany } from './action.ts';
import { type Bulk, type BulkProps, useBulk } from './use-bulk.ts';

/** So many are named; more than that nobody reads. */
const named = 100;

/** Asks, does it with a few at once, can be stopped, and says of each that was refused why. */
export function BulkDialog<T extends { id: number }>(props: BulkProps<T>) {
  const { action, names, chosen, onClose } = props;
  const bulk = useBulk(props);
  const { phase, rows, problem } = bulk;
  const { verb, warning } = action;
  const many = howMany(names, rows.length);
  const title = phase === 'finding' ? t`${verb} all ${names.many} that fit?` : `${verb} ${many}?`;
  return (
    <Dialog title={title} onClose={onClose} stays={phase === 'working' ? bulk.stop : undefined}>
      {problem && (
        <Notice tone="bad" title={phase === 'held' ? t`It does not go on` : t`They could not be read`} alert>
          <p>{problem}</p>
        </Notice>
      )}
      {phase === 'finding' && 'list' in chosen && !problem && (
        <Bar label={t`Reading ${names.many}`} value={bulk.found} of={chosen.count} />
      )}
      {phase === 'asked' && rows.length === 0 && <p>{t`With none of them this can be done.`}</p>}
      {phase === 'asked' && rows.length > 0 && (
        <>
          <Listed texts={rows.slice(0, named).map(names.label)} more={rows.length - named} label={names.many} />
          <p>{warning}</p>
        </>
      )}
      {(phase === 'working' || phase === 'held') && (
        <Bar label={action.doing} value={bulk.done + bulk.refused.length} of={rows.length} />
      )}
      {phase === 'over' && <Over bulk={bulk} {...props} />}
      <Buttons bulk={bulk} many={many} {...props} />
    </Dialog>
  );
}

function Buttons<T>({ bulk, many, action, onClose }: BulkProps<T> & { bulk: Bulk<T>; many: string }) {
  const { phase, rows, problem, start, again, stop } = bulk;
  const kind = action.harmless ? 'primary' : 'danger';
  return (
    <div class="form-actions">
      {phase === 'working' || phase === 'held' ? (
        <button type="button" onClick={stop}>{t`Stop`}</button>
      ) : (
        <button type="button" onClick={onClose}>
          {phase === 'asked' && rows.length ? (action.keep ?? t`Keep them`) : t`Close`}
        </button>
      )}
      {phase === 'asked' && rows.length > 0 && (
        <button type="button" class={kind} onClick={() => void start()}>
          {action.verb} {many}
        </button>
      )}
      {phase === 'finding' && problem && (
        <button type="button" class="primary" onClick={() => void again()}>{t`Try again`}</button>
      )}
      {phase === 'held' && <button type="button" class={kind} onClick={() => void start()}>{t`Go on`}</button>}
    </div>
  );
}

function Bar({ label, value, of }: { label: string; value: number; of: number }) {
  const id = useId();
  return (
    <>
      <p id={id}>{t`${label}: ${value.toLocaleString('en')} of ${of.toLocaleString('en')}`}</p>
      <progress aria-labelledby={id} value={value} max={Math.max(of, 1)} />
    </>
  );
}

function Over<T>({ bulk: { refused, unsure, rows, done }, names }: BulkProps<T> & { bulk: Bulk<T> }) {
  const left = rows.length - done - refused.length - unsure.length;
  return (
    <>
      {left > 0 && <p>{t`Stopped: ${howMany(names, left)} stay as they were.`}</p>}
      {unsure.length > 0 && (
        <Notice tone="bad" title={t`Of these no answer came: look whether it was done`} alert>
          <Listed
            texts={unsure.slice(0, named).map(names.label)}
            more={unsure.length - named}
            label={t`Without an answer`}
          />
        </Notice>
      )}
      {refused.length > 0 && (
        <Notice tone="bad" title={t`Not all of them could be`} alert>
          <Listed
            texts={refused.slice(0, named).map(({ row, message }) => `${names.label(row)}: ${message}`)}
            more={refused.length - named}
            label={t`Refused`}
          />
        </Notice>
      )}
    </>
  );
}

const Listed = ({ texts, more, label }: { texts: readonly string[]; more: number; label: string }) => (
  <>
    <ul class="bulk-list" tabIndex={0} aria-label={label}>
      {texts.map((text, i) => (
        <li key={i}>{text}</li>
      ))}
    </ul>
    {more > 0 && <p class="muted">{t`… and ${more.toLocaleString('en')} more.`}</p>}
  </>
);
