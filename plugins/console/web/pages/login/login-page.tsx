import { useSignal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import type { FieldErrors } from '../../api/http.ts';
import { expired, logIn } from '../../api/session.ts';
import { TextField } from '../../components/field.tsx';
import { Form } from '../../components/form.tsx';
import { Logo } from '../../components/logo.tsx';
import { Notice } from '../../components/notice.tsx';

export function LoginPage() {
  const username = useSignal('');
  const password = useSignal('');
  const errors = useSignal<FieldErrors>({});
  const section = useRef<HTMLElement>(null);
  useEffect(() => {
    document.title = 'Log in · Tapline';
    section.current?.querySelector('input')?.focus();
  }, []);

  const submit = async () => {
    try {
      await logIn(username.value, password.value);
    } finally {
      password.value = '';
    }
  };

  return (
    <main class="login">
      <section ref={section} class="login-card">
        <h1>
          <Logo />
          Log in to Tapline
        </h1>
        {expired.value && <Notice tone="info">Your session has ended. Log in again to go on where you were.</Notice>}
        <Form submit="Log in" busy="Logging in …" onSubmit={submit} errors={errors} known={[]}>
          <TextField
            label="User name"
            name="username"
            required
            autocomplete="username"
            value={username.value}
            onValue={(value) => void (username.value = value)}
          />
          <TextField
            label="Password"
            name="password"
            type="password"
            required
            autocomplete="current-password"
            value={password.value}
            onValue={(value) => void (password.value = value)}
          />
        </Form>
      </section>
    </main>
  );
}
