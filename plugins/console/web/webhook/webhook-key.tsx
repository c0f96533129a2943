import { useSignal } from '@preact/signals';
import { attempt, Code, CopyText, Dialog, get, post, t } from '@tapline/console-kit';

/** The key that webhooks are signed with: shown to whoever asks for it, and made anew after a question. */
export function WebhookKey({ path, name }: { path: string; name: string }) {
  const key = useSignal<string | null>(null);
  const asking = useSignal(false);
  const read = (answer: () => Promise<{ webhook_key: string }>, said?: string) =>
    attempt(async () => void (key.value = (await answer()).webhook_key), said === undefined ? {} : { said });
  const renew = async () => {
    asking.value = false;
    await read(() => post(path), t`The webhook has a new key.`);
  };
  return (
    <>
      {key.value !== null && <Code text={key.value} />}
      <p class="tab-actions">
        {key.value === null ? (
          <button type="button" onClick={() => void read(() => get(path))}>{t`Show the key`}</button>
        ) : (
          <>
            <CopyText value={key.value} what={t`the key`} />
            <button type="button" onClick={() => void (key.value = null)}>{t`Hide the key`}</button>
          </>
        )}
        <button type="button" onClick={() => void (asking.value = true)}>{t`New key`}</button>
      </p>
      {asking.value && (
        <Dialog title={t`A new key for ${name}?`} onClose={() => void (asking.value = false)}>
          <p>{t`What is signed with the key of today is refused from then on, until its sender has the new one.`}</p>
          <div class="form-actions">
            <button type="button" class="danger" onClick={() => void renew()}>{t`Make a new key`}</button>
            <button type="button" onClick={() => void (asking.value = false)}>{t`Keep the key`}</button>
          </div>
        </Dialog>
      )}
    </>
  );
}
