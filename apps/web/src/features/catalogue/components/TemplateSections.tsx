import { Card } from '../../../ui/Card.tsx'
import { Checkbox } from '../../../ui/Checkbox.tsx'
import { FormRow } from '../../../ui/FormRow.tsx'
import { Input, Textarea } from '../../../ui/Input.tsx'
import {
  AddVariable,
  editorFields,
  ModulesEditor,
  moduleFields,
  paletteFields,
  securityFields,
  VariableRow,
} from '../../instance-settings/index.ts'
import type { TemplateForm } from '../template-form.ts'
import { LockButton } from './LockButton.tsx'
import { Changed, TemplateFields } from './TemplateFields.tsx'

/** Section Settings [ATPL-13]. */
export function SettingsSection({ form }: { form: TemplateForm }) {
  return (
    <>
      <Card title="General" padded>
        <div className="flex max-w-130 flex-col gap-5">
          <div>
            <FormRow label="Name" error={form.nameFault}>
              <Input
                value={String(form.values.name)}
                onChange={(event) => form.set('name', event.target.value)}
                autoComplete="off"
              />
            </FormRow>
            {form.isChanged('name') && <Changed />}
          </div>
          <div>
            <Checkbox
              label="Active"
              help="Only an active template can be chosen for a new instance."
              checked={form.values.active === true}
              onChange={(active) => form.set('active', active)}
            />
            {form.isChanged('active') && <Changed />}
          </div>
          <div>
            <FormRow label="Description" error={form.errors.description}>
              <Textarea
                rows={3}
                value={String(form.values.description)}
                onChange={(event) => form.set('description', event.target.value)}
              />
            </FormRow>
            {form.isChanged('description') && <Changed />}
          </div>
        </div>
      </Card>
      <TemplateFields title="Editor" fields={editorFields} form={form} />
      <TemplateFields
        title="External Modules"
        fields={moduleFields}
        form={form}
        isDisabled={(name) => name === 'modules_denyList' && form.values.modules_allowInstall !== true}
      />
    </>
  )
}

/** Section Security: who reaches what flows serve [ATPL-14]. */
export function SecuritySection({ form }: { form: TemplateForm }) {
  const basic = form.values.httpNodeAuth_type === 'basic'
  return (
    <TemplateFields
      title="HTTP Node Security"
      fields={basic ? securityFields : securityFields.slice(0, 1)}
      form={form}
    />
  )
}

/** Section Environment: variables, each with its lock [ATPL-15]. */
export function EnvironmentSection({ form }: { form: TemplateForm }) {
  const { variables, variableFaults, setVariables } = form
  const change = (key: string, part: object) =>
    setVariables(variables.map((one) => (one.key === key ? { ...one, ...part } : one)))
  return (
    <Card title="Environment Variables" note={variables.length}>
      <div role="table" aria-label="Environment variables">
        {variables.map(({ policy = true, ...variable }) => (
          <VariableRow
            key={variable.key}
            variable={variable}
            error={variableFaults[variable.key]}
            readOnly={false}
            onChange={(part) => change(variable.key, part)}
            onRemove={() => setVariables(variables.filter(({ key }) => key !== variable.key))}
            end={
              <LockButton
                what={variable.name || 'variable'}
                open={policy}
                onChange={(open) => change(variable.key, { policy: open })}
              />
            }
          />
        ))}
      </div>
      {variables.length === 0 && <p className="px-4 py-3 text-muted">None yet.</p>}
      <AddVariable variables={variables} onAdd={(variable) => setVariables([...variables, variable])} />
    </Card>
  )
}

/** Section Palette: what may be installed, and the modules to begin with [ATPL-15]. */
export function PaletteSection({ form }: { form: TemplateForm }) {
  return (
    <>
      <TemplateFields
        title="Palette"
        fields={paletteFields}
        form={form}
        isDisabled={(name) => name === 'palette_denyList' && form.values.palette_allowInstall !== true}
      />
      <ModulesEditor
        modules={form.modules}
        readOnly={false}
        onChange={form.setModules}
        end={
          <LockButton
            what="Installed Modules"
            open={form.policy.palette_modules === true}
            onChange={(open) => form.setPolicy('palette_modules', open)}
          />
        }
      />
    </>
  )
}
