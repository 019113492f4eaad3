import { ChevronDown, Download } from 'lucide-react'
import { Button } from '../../../ui/Button.tsx'
import { Menu } from '../../../ui/Menu.tsx'
import { type AuditFilter, type AuditLogOf, exportAddress } from '../audit.queries.ts'

/** Exports the filtered entries as a file; nothing for a log without an export. */
export function AuditExport({ of, filter }: { of: AuditLogOf; filter: AuditFilter }) {
  const [csv, json] = [exportAddress(of, filter, 'csv'), exportAddress(of, filter, 'json')]
  if (csv === undefined || json === undefined) return null
  return (
    <Menu
      label="Export"
      items={[
        { label: 'CSV, for spreadsheets', href: csv },
        { label: 'JSON, for programs', href: json },
      ]}
      trigger={
        <Button className="w-fit" icon={<Download size={16} aria-hidden />}>
          Export
          <ChevronDown size={16} aria-hidden />
        </Button>
      }
    />
  )
}
