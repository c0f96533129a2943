import { useSignal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import { type FieldErrors, Form, Notice, TextField, t } from '@tapline/console-kit';
import { expired, logIn, Logo } from '@tapline/console-kit/shell';

/** In place of everything while nobody is logged in. */
export const LoginPage = () => (
  <main class="login">
    <LoginCard />
  </main>
);

/** Over a page whose session has ended: what was typed there waits behind it, seen by nobody. */
export function LoginAgain() {
  const dialog = useRef<HTMLDialogElement>(null);
  const { title, focused } = useRef({ title: document.title, focused: document.activeElement }).current;
  const show = () => {
    if (!dialog.current?.open) dialog.current?.showModal();
  };
  useEffect(() => {
    show();
    return () => {
      document.title = title;
      // once the page can be seen again
      requestAnimationFrame(() => focused instanceof HTMLElement && focused.focus());
    };
  }, []);
  return (
    // there is nothing to go back to
    <dialog
      ref={dialog}
      class="login"
      aria-label={t`Log in again`}
      onCancel={(event) => event.preventDefault()}
      onClose={show}
    >
      <LoginCard />
    </dialog>
  );
}

const nothingToLose = () => false;

/** It has the title, and its first field the focus. */
function useFirst() {
  const section = useRef<HTMLElement>(null);
  useEffect(() => {
    document.title = t`Log in · Tapline`;
    section.current?.querySelector('input')?.focus();
  }, []);
  return section;
}

function LoginCard() {
  const username = useSignal('');
  const password = useSignal('');
  const errors = useSignal<FieldErrors>({});
  const section = useFirst();
  const submit = async () => {
    try {
      await logIn(username.value, password.value);
    } finally {
      password.value = '';
    }
  };

  return (
    <section ref={section} class="login-card">
      <h1>
        <Logo />
        {t`Log in to Tapline`}
      </h1>
      {expired.value && <Notice tone="info">{t`Your session has ended. Log in again to go on where you were.`}</Notice>}
      <Form
        submit={t`Log in`}
        busy={t`Logging in …`}
        onSubmit={submit}
        errors={errors}
        known={[]}
        typed={nothingToLose}
      >
        <TextField
          label={t`User name`}
          name="username"
          required
          autocomplete="username"
          value={username.value}
          onValue={(value) => void (username.value = value)}
        />
        <TextField
          label={t`Password`}
          name="password"
          type="password"
          required
          autocomplete="current-password"
          value={password.value}
          onValue={(value) => void (password.value = value)}
        />
      </Form>
    </section>
  );
}
