import { Dialog, Form, RelationPicker, Status, toast, useFields, useLauncher, t } from '@tapline/console-kit';
import { useSignal } from '@preact/signals';
import { Fragment, h } from 'preact';

/** What became of the run that was to put it right. */
export function Remedy({ row }) {
  const { remediation_job: job, remediation_status: status, summary_fields: named } = row;
  if (!status) return null;
  return h(
    'p',
    null,
    t`Put right by `,
    job ? h('a', { href: `/jobs/${job}` }, named.remediation_job?.name ?? t`run ${job}`) : t`a run that is gone`,
    ': ',
    h(Status, { status, label: status === 'launched' ? t`Launched` : undefined }),
  );
}

/** Launches a template for the host alone. */
export function RemedyButton({ row, reload }) {
  const open = useSignal(false);
  const launch = useLauncher();
  const close = () => void (open.value = false);
  return h(
    Fragment,
    null,
    h('button', { type: 'button', onClick: () => void (open.value = true) }, t`Put right …`),
    open.value && h(Choose, { row, launch, onClose: close, onDone: reload }),
  );
}

function Choose({ row, launch, onClose, onDone }) {
  const { values, errors, bind } = useFields({ job_template: '' });
  const send = async () => {
    const { job_template: template } = values.value;
    const { job } = await launch(
      `drift_detections/${row.id}/remediate/`,
      template ? { job_template: Number(template) } : {},
    );
    toast(t`Job ${job} is launched.`, 'good');
    onClose();
    await onDone();
  };
  return h(
    Dialog,
    { title: t`Put ${row.summary_fields.host.name} right`, onClose },
    h(
      Form,
      {
        submit: t`Launch for this host`,
        busy: t`Launching …`,
        errors,
        known: ['job_template'],
        // the kit's form waits for it
        // oxlint-disable-next-line no-misused-promises
        onSubmit: send,
        onCancel: onClose,
      },
      h(RelationPicker, {
        ...bind('job_template'),
        label: t`Job template`,
        list: 'job_templates/?ask_limit_on_launch=true&role_level=execute_role',
        hint: t`It has to ask for a limit. Without one, what a rule about such drift names is launched.`,
      }),
    ),
  );
}
