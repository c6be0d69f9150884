/**
 * Replaces parts of a library that the page never uses: our menus are not modal (renderer/components/menu.tsx), so nothing locks
 * the scrolling behind them or hides the rest. If it is called after all, it throws.
 */
export function RemoveScroll(): never {
  throw new Error('a modal menu: the page has none, see build/left-out.ts');
}

export { RemoveScroll as hideOthers };
