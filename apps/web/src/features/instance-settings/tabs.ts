/** Pages of the settings that everybody sees who sees the instance. */
export const everybody = ['general', 'environment']

const tabs = [
  { path: 'general', label: 'General' },
  { path: 'environment', label: 'Environment' },
  { path: 'ha', label: 'High Availability' },
  { path: 'editor', label: 'Editor' },
  { path: 'security', label: 'Security' },
  { path: 'palette', label: 'Palette' },
]

/** The side menu of the settings; `hasHa`: the platform offers High Availability [ISET-03] [ISET-05]. */
export const settingsTabs = ({ mayEdit, hasHa }: { mayEdit: boolean; hasHa: boolean }) =>
  tabs.filter(({ path }) => everybody.includes(path) || (mayEdit && (path !== 'ha' || hasHa)))
