import { dom } from './testing/dom.ts';
import { type ComponentType, h, render } from 'preact';
import { type Answers, answering, type Asked } from './testing/answers.ts';

export interface Drawn {
  /** all that can be read */
  text(): string;
  /** waits until it can be read @throws Error with what is there instead, after 10 s */
  until(text: string): Promise<void>;
  /** presses the button or link of that name @throws Error where there is none */
  press(name: string): void;
  /** what the API was asked, in order */
  asked: readonly Asked[];
  /** takes it away; the service answers again */
  end(): void;
}

const patienceMs = 10_000;
const lookMs = 10;

/**
 * Draws a page or a panel in a document without a browser (the package `happy-dom`), before an API that answers what is given.
 * Import it before everything that imports the kit.
 */
export function draw<P extends object>(part: ComponentType<P>, props: P, answers: Answers = {}): Drawn {
  const root = document.createElement('div');
  document.body.append(root);
  const { asked, end } = answering(answers);
  render(h(part, props), root);
  const text = () => root.textContent ?? '';
  return {
    asked,
    text,
    async until(wanted) {
      const last = Date.now() + patienceMs;
      while (!text().includes(wanted)) {
        if (Date.now() > last) throw new Error(`"${wanted}" does not come; there is: ${text()}`);
        await new Promise((resolve) => setTimeout(resolve, lookMs));
      }
    },
    press(name) {
      const found = [...root.querySelectorAll('button, a')].find((one) => one.textContent === name);
      if (!found) throw new Error(`there is no button or link "${name}"; there is: ${text()}`);
      found.dispatchEvent(new dom.MouseEvent('click', { bubbles: true, cancelable: true }) as unknown as Event);
    },
    end() {
      render(null, root);
      root.remove();
      end();
    },
  };
}
