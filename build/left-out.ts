/**
 * Stands for what a library brings along and the page never reaches: menus of ours are not modal (renderer/components/menu.tsx),
 * so nothing locks the scrolling behind them or hides the rest. Reached after all, it says so.
 */
export function RemoveScroll(): never {
  throw new Error('a modal menu: the page has none, see build/left-out.ts');
}

export { RemoveScroll as hideOthers };
