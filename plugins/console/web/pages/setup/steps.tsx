import { t } from '@tapline/console-kit';
import type { ComponentType } from 'preact';
import type { StepId } from '../../api/steps.ts';
import { CredentialForm } from './credential-form.tsx';
import { HostForm } from './host-form.tsx';
import { LaunchStep } from './launch-step.tsx';
import { ProjectForm } from './project-form.tsx';
import { TemplateForm } from './template-form.tsx';

export interface StepFormProps {
  /** the step is done: read everything again */
  onDone: (said: string) => Promise<void>;
}

interface Step {
  id: StepId;
  title: string;
  why: string;
  form: ComponentType<StepFormProps>;
}

/** From nothing to a first run of one's own. */
export const steps: readonly Step[] = [
  {
    id: 'project',
    title: t`Connect your repository`,
    why: t`A project follows a git repository with your playbooks.`,
    form: ProjectForm,
  },
  {
    id: 'credential',
    title: t`Add a key for your hosts`,
    why: t`A machine credential holds the user and the ssh key that your hosts accept. It is stored encrypted and shown to nobody.`,
    form: CredentialForm,
  },
  {
    id: 'host',
    title: t`List your hosts`,
    why: t`An inventory names the hosts that playbooks run on.`,
    form: HostForm,
  },
  {
    id: 'template',
    title: t`Make a template`,
    why: t`A template ties a playbook, an inventory and credentials together, so that anybody may launch it.`,
    form: TemplateForm,
  },
  {
    id: 'launch',
    title: t`Launch it`,
    why: t`Watch the first run of your own playbook on your own hosts.`,
    form: LaunchStep,
  },
];
