// Training: see the section `training` of the page.
