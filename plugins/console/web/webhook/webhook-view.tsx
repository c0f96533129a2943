import { apiOf, Code, CopyText, may, shown, type TabProps, useOptions, t } from '@tapline/console-kit';
import { WebhookForm } from './webhook-form.tsx';
import { WebhookKey } from './webhook-key.tsx';
import { webhookFields } from './webhook-tab.ts';

export function WebhookView({ row, resource, reload }: TabProps) {
  const options = useOptions(`${apiOf(resource)}${row.id}/`);
  return shown(options, { what: t`form`, loading: t`the form` }, ({ actions: { GET = {}, PUT } }) => {
    const service = GET['webhook_service']?.choices?.find(([value]) => value === row['webhook_service'])?.[1];
    return (
      <>
        {row['webhook_service'] ? (
          <Sent row={row} resource={resource} reload={reload} service={String(service)} />
        ) : (
          <p class="empty">{t`No webhook launches it.`}</p>
        )}
        {PUT && (
          <section aria-labelledby="webhook-sender">
            <h2 id="webhook-sender">{t`Who sends it`}</h2>
            <WebhookForm
              key={webhookFields.map((name) => row[name]).join(' ')}
              row={row}
              resource={resource}
              fields={PUT}
              onDone={reload}
            />
          </section>
        )}
      </>
    );
  });
}

/** What is entered at the sender. */
function Sent({ row, resource, service }: TabProps & { service: string }) {
  const address = new URL(String(row['related'].webhook_receiver), location.origin).href;
  const credential = row.summary_fields['webhook_credential'];
  return (
    <dl class="record">
      <div>
        <dt>{t`Service`}</dt>
        <dd>{service}</dd>
      </div>
      <div>
        <dt>{t`Address`}</dt>
        <dd>
          <Code text={address} />
          <CopyText value={address} what={t`the address`} />
        </dd>
      </div>
      {may(row, 'edit') && (
        <div>
          <dt>{t`Key`}</dt>
          <dd>
            <WebhookKey path={`${apiOf(resource)}${row.id}/webhook_key/`} name={String(row['name'])} />
          </dd>
        </div>
      )}
      {credential && (
        <div>
          <dt>{t`Told how it went, by`}</dt>
          <dd>
            <a href={`/credentials/${credential.id}`}>{credential.name}</a>
          </dd>
        </div>
      )}
    </dl>
  );
}
