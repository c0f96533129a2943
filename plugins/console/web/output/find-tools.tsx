import { useSignal } from '@preact/signals';
import { addressWith, attempt, go, place, t } from '@tapline/console-kit';
import { seek, type Sought, soughtFailure, soughtText } from './seek.ts';

interface Props {
  /** the list of events, below /api/v2/ */
  events: string;
  /** whether there is a failure to jump to */
  failed: boolean;
}

/** Looks through the whole output on the server, of which the page knows only what is in sight. */
export function FindTools({ events, failed }: Props) {
  const { path, query } = place.value;
  const text = useSignal(query.get('find') ?? '');
  const said = useSignal('');
  const to = async (sought: Sought, forward: boolean, find: string | null) => {
    const from = Number(place.peek().query.get('line') ?? 0) - 1;
    await attempt(async () => {
      const line = await seek(events, sought, from, forward);
      said.value = line === null ? t`It is not in the output.` : t`Line ${line + 1}`;
      if (line !== null) go(addressWith(path, place.peek().query, { find, line: String(line + 1) }), { replace: true });
    });
  };
  const find = (forward: boolean) => void (text.value.trim() && to(soughtText(text.value.trim()), forward, text.value));
  const failure = (forward: boolean) => void to(soughtFailure, forward, null);
  return (
    <>
      <form
        role="search"
        class="find-output"
        aria-label={t`In the output`}
        onSubmit={(event) => {
          event.preventDefault();
          find(true);
        }}
      >
        <input
          type="search"
          aria-label={t`Search the output`}
          placeholder={t`Search the output`}
          value={text.value}
          onInput={(event) => void (text.value = event.currentTarget.value)}
        />
        <button type="submit">{t`Next`}</button>
        <button type="button" onClick={() => find(false)}>{t`Before`}</button>
      </form>
      {failed && <button type="button" onClick={() => failure(true)}>{t`Next failure`}</button>}
      <span class="muted" role="status">
        {said.value}
      </span>
    </>
  );
}
