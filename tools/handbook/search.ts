import MiniSearch from 'minisearch'
import { addressOf, isForContributors, type Page } from './pages.ts'

/** Returns the search index of the handbook as text: an entry for each heading. */
export function searchIndex(pages: Page[]): string {
  const index = new MiniSearch({
    fields: ['title', 'page', 'text'],
    storeFields: ['title', 'page', 'text'],
  })
  for (const page of pages) {
    if (page.slug === '' || isForContributors(page.slug)) continue
    for (const { id, title, text } of page.sections) {
      if (title === '' && text === '') continue
      index.add({
        id: `${addressOf(page.slug)}${id && `#${id}`}`,
        title: title || page.title,
        page: page.title,
        text,
      })
    }
  }
  return JSON.stringify(index)
}
