import { followContents } from './contents.ts'
import { addCopyButtons, focusScrollers } from './blocks.ts'
import { enableSearch } from './search.ts'
import { enableTheme } from './theme.ts'

enableTheme()
enableSearch()
addCopyButtons()
focusScrollers()
followContents()

// The menu of narrow screens opens by its address, so that it works without this script.
addEventListener('keydown', (event) => {
  if (event.key === 'Escape' && location.hash === '#menu') location.hash = '#content'
})
