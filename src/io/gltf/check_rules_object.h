/// @file io/gltf/check_rules_object.h
/// What one object of a document must keep among its own properties.
#pragma once

#include "io/gltf/check_schema.h"

namespace flexor::io::gltf {

void CheckAsset(SchemaCheck& check, const ValidObject& asset);
void CheckAccessor(SchemaCheck& check, const ValidObject& accessor);
void CheckBuffer(SchemaCheck& check, const ValidObject& buffer);
void CheckBufferView(SchemaCheck& check, const ValidObject& view);
void CheckCamera(SchemaCheck& check, const ValidObject& camera);
void CheckOrthographic(SchemaCheck& check, const ValidObject& camera);
void CheckPerspective(SchemaCheck& check, const ValidObject& camera);
void CheckImage(SchemaCheck& check, const ValidObject& image);
void CheckMaterial(SchemaCheck& check, const ValidObject& material);
void CheckMesh(SchemaCheck& check, const ValidObject& mesh);
void CheckPrimitive(SchemaCheck& check, const ValidObject& primitive);
void CheckNode(SchemaCheck& check, const ValidObject& node);
void CheckSpotCone(SchemaCheck& check, const ValidObject& spot);
void CheckLight(SchemaCheck& check, const ValidObject& light);
void CheckIridescence(SchemaCheck& check, const ValidObject& iridescence);

}  // namespace flexor::io::gltf
