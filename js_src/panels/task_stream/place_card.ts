// Where a card beside the pointer goes.

const AWAY_PX = 14;
const EDGE_PX = 4;

/** What the card describes, in CSS pixels of the plot. */
export interface CardTarget {
  readonly pointerX: number;
  readonly top: number;
  readonly height: number;
}

/** 14 px from the pointer, inside the stage, never over what it describes. */
export function placeCard(
  card: HTMLElement,
  target: CardTarget,
  plotLeft: number,
  plotTop: number,
): void {
  const stage = card.parentElement;
  if (!stage) return;
  const width = stage.clientWidth;
  const height = stage.clientHeight;
  const cardHeight = card.offsetHeight;
  const cardWidth = card.offsetWidth;
  const pointer = plotLeft + target.pointerX;
  let left = pointer + AWAY_PX;
  if (left + cardWidth > width - EDGE_PX) left = pointer - AWAY_PX - cardWidth;
  left = Math.max(EDGE_PX, Math.min(left, width - cardWidth - EDGE_PX));
  const targetTop = plotTop + target.top;
  let top = targetTop + target.height + 8;
  if (top + cardHeight > height - EDGE_PX) {
    const above = targetTop - 8 - cardHeight;
    top = above >= EDGE_PX ? above : height - cardHeight - EDGE_PX;
  }
  top = Math.max(EDGE_PX, top);
  card.style.transform = `translate(${Math.round(left)}px, ${Math.round(top)}px)`;
}
