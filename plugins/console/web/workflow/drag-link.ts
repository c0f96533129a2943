import type { Signal } from '@preact/signals';
import type { Point } from './layout.ts';

/** A line that somebody is drawing from a node, within the picture. */
export interface Drawn {
  from: number;
  start: Point;
  end: Point;
}

/** Follows the pointer from the handle of a node; `onDrop` is told the node where it was let go, or null. */
export function drawLink(
  event: PointerEvent,
  from: number,
  drawn: Signal<Drawn | null>,
  onDrop: (to: number | null) => void,
): void {
  const handle = event.currentTarget as HTMLElement;
  const canvas = handle.closest<HTMLElement>('.graph-canvas');
  if (!canvas || event.button !== 0) return;
  event.preventDefault();
  handle.setPointerCapture(event.pointerId);
  const at = ({ clientX, clientY }: PointerEvent): Point => {
    const { left, top } = canvas.getBoundingClientRect();
    return { x: clientX - left, y: clientY - top };
  };
  const begun = at(event);
  const move = (moved: PointerEvent) => void (drawn.value = { from, start: begun, end: at(moved) });
  const end = (last: PointerEvent) => {
    handle.removeEventListener('pointermove', move);
    handle.removeEventListener('pointerup', end);
    handle.removeEventListener('pointercancel', end);
    const dragged = drawn.value !== null;
    drawn.value = null;
    if (last.type === 'pointercancel' || !dragged) return;
    const target = document.elementFromPoint(last.clientX, last.clientY)?.closest<HTMLElement>('[data-node]');
    onDrop(target ? Number(target.dataset['node']) : null);
  };
  handle.addEventListener('pointermove', move);
  handle.addEventListener('pointerup', end);
  handle.addEventListener('pointercancel', end);
}
