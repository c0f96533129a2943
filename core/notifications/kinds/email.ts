import { DeliveryError, type NotificationKind } from '@tapline/plugin-sdk';
import type { SMTPError } from 'nodemailer/lib/smtp-connection/index.js';

const longestTimeoutS = 120;

/** Loaded with the first mail: most services send none. */
const loadClient = () => import('nodemailer');

/** A mail to all recipients at once. */
export const email: NotificationKind = {
  kind: 'email',
  label: 'Email',
  recipients: 'recipients',
  fields: {
    host: { label: 'Host', type: 'string' },
    port: { label: 'Port', type: 'int' },
    username: { label: 'Username', type: 'string' },
    password: { label: 'Password', type: 'password' },
    use_tls: { label: 'Use TLS', type: 'bool' },
    use_ssl: { label: 'Use SSL', type: 'bool' },
    sender: { label: 'Sender Email', type: 'string' },
    recipients: { label: 'Recipient List', type: 'list' },
    timeout: { label: 'Timeout', type: 'int', default: 30 },
  },
  check: ({ use_tls: startTls, use_ssl: tls, timeout, port }) => [
    ...(startTls && tls ? ['use_tls and use_ssl exclude each other.'] : []),
    ...(Number(timeout) >= 1 && Number(timeout) <= longestTimeoutS ? [] : [`timeout must be 1 to ${longestTimeoutS}.`]),
    ...(Number(port) >= 1 && Number(port) <= 65_535 ? [] : ['port must be 1 to 65535.']),
  ],
  async send({ configuration, subject, body }, tools) {
    const { host, username, password, sender } = configuration as Record<string, string>;
    const { port, use_tls: startTls, use_ssl: secure, timeout, recipients } = configuration;
    const timeoutMs = Number(timeout) * 1000;
    const { createTransport } = await loadClient();
    const connection = await tools.connect({ host: host!, port: Number(port), timeoutMs });
    const close = () => void connection.destroy();
    tools.signal.addEventListener('abort', close, { once: true });
    const transport = createTransport({
      connection,
      host: host!,
      port: Number(port),
      secure: Boolean(secure),
      // what the administrator did not ask for is not tried either: a certificate nobody trusts would end it
      requireTLS: Boolean(startTls),
      ignoreTLS: !startTls,
      ...(username || password ? { auth: { user: username!, pass: password! } } : {}),
      greetingTimeout: timeoutMs,
      socketTimeout: timeoutMs,
      disableFileAccess: true,
      disableUrlAccess: true,
    });
    try {
      const info = await transport.sendMail({ from: sender!, to: recipients as string[], subject, text: body });
      const refused = info.rejected.map(String);
      if (refused.length)
        throw new DeliveryError(
          `${info.accepted.length} of ${(recipients as string[]).length} have it; refused were ${refused.join(', ')}`,
          { final: true },
        );
      return { answer: info.response };
    } catch (error) {
      const { responseCode } = error as SMTPError;
      if (error instanceof DeliveryError || !responseCode) throw error;
      throw new DeliveryError((error as Error).message, { final: responseCode >= 500, cause: error });
    } finally {
      tools.signal.removeEventListener('abort', close);
      transport.close();
      close();
    }
  },
};
